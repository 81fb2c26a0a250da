/*
 * Loads weights in their plain layout, without the layouts of their own that some processors have (Intel AMX above all). llama.cpp
 * chooses such a layout by a test that every weight passes alike; latent attention and convolutions then multiply some of them in a way
 * that the layout does not support: the results are no numbers, or the process ends with `GGML_ASSERT(*cur_backend_id != -1)`.
 *
 * plain-weights.ts loads this library with RTLD_GLOBAL before the engine's addon, so that llama.cpp's question for these layouts leads
 * here. While a model is loaded plainly, the answer is that there are none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "node-api.h"

typedef void *(*find_function)(void *registry, const char *name);

static atomic_bool is_plain;
static _Atomic(find_function) engine_function;

/* Finds the function of the engine. `caller` is an address in a library that depends on the one that has it. */
static find_function find_engine(void *caller) {
    Dl_info info;
    if (dladdr(caller, &info) == 0) return NULL;
    void *library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) return NULL;
    return (find_function)dlsym(library, "ggml_backend_reg_get_proc_address");
}

EXPORTED void *ggml_backend_reg_get_proc_address(void *registry, const char *name) {
    if (atomic_load(&is_plain) && strcmp(name, "ggml_backend_dev_get_extra_bufts") == 0) return NULL;
    find_function function = atomic_load(&engine_function);
    if (function == NULL) {
        function = find_engine(__builtin_return_address(0));
        atomic_store(&engine_function, function);
    }
    return function == NULL ? NULL : function(registry, name);
}

/* Takes one boolean: whether weights are loaded plainly from now on. */
static napi_value set_plain(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value argument = NULL;
    bool value = false;
    napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
    if (count > 0 && napi_get_value_bool(env, argument, &value) == 0) atomic_store(&is_plain, value);
    return NULL;
}

EXPORTED napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    return export_function(env, exports, "setPlain", set_plain);
}

/*
 * The functions of Node-API that the C files here use. Its binary interface is stable: they are declared here, so that no header of
 * Node.js is needed to compile.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);

int napi_create_function(napi_env env, const char *name, size_t length, napi_callback call, void *data, napi_value *result);
int napi_create_int32(napi_env env, int32_t value, napi_value *result);
int napi_get_cb_info(napi_env env, napi_callback_info info, size_t *argc, napi_value *argv, napi_value *receiver, void **data);
int napi_get_value_bool(napi_env env, napi_value value, bool *result);
int napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);

/* The only export of a library: one function. */
static inline napi_value export_function(napi_env env, napi_value exports, const char *name, napi_callback call) {
    napi_value function = NULL;
    napi_create_function(env, name, (size_t)-1, call, NULL, &function);
    napi_set_named_property(env, exports, name, function);
    return exports;
}

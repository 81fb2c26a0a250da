/* The engine's sampling hangs where the file STALL_FILE exists, and then renames it. Loaded before all other libraries. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*apply_function)(void *sampler, void *candidates);

void llama_sampler_apply(void *sampler, void *candidates) {
    static apply_function own;
    if (own == NULL) {
        Dl_info info;
        if (dladdr(__builtin_return_address(0), &info) == 0) abort();
        own = (apply_function)dlsym(dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD), "llama_sampler_apply");
    }
    const char *file = getenv("STALL_FILE");
    const char *renamed = getenv("STALLED_FILE");
    if (file != NULL && renamed != NULL && rename(file, renamed) == 0)
        for (;;) pause();
    own(sampler, candidates);
}

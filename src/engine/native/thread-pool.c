/*
 * Keeps the threads that compute a llama.cpp context between two tokens. The prebuilt engine makes new threads for every decode and
 * joins them again: it never attaches a thread pool, so ggml makes a disposable one for each graph.
 *
 * thread-pool.ts loads this library with RTLD_GLOBAL before the engine's addon. The addon's calls of the three llama.cpp functions
 * defined here then lead here, and from here to the engine's own functions. A context that uses more than one thread gets a pool of its
 * own; one that uses a single thread has none, because the pool's other threads would only wait.
 *
 * Where the engine lacks a function, or its parameters are laid out in another way, the calls are passed on unchanged.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "node-api.h"

/*
 * A waiting thread polls for the next graph before it sleeps, in units of 131,072 pauses: three to seven milliseconds. That is longer
 * than what happens between two tokens (sampling, sending), and short enough that an idle model uses no core.
 */
static const uint32_t poll_level = 1;

/* `ggml_threadpool_params` of ggml.h. */
struct pool_params {
    bool cpumask[512];
    int n_threads;
    int priority;
    uint32_t poll;
    bool strict_cpu;
    bool paused;
};

/* Room for fields that a later version may add. */
union pool_params_room {
    struct pool_params params;
    char bytes[sizeof(struct pool_params) + 1024];
};

enum engine_state { ENGINE_UNKNOWN, ENGINE_USABLE, ENGINE_FOREIGN };

/* The engine's functions. */
static struct {
    enum engine_state state;
    int32_t (*n_threads)(const void *context);
    void (*set_n_threads)(void *context, int32_t threads, int32_t batch_threads);
    void (*free_context)(void *context);
    void (*attach)(void *context, void *pool, void *batch_pool);
    void (*init_params)(void *params, int threads);
    void *(*new_pool)(void *params);
    void (*free_pool)(void *pool);
} engine;

struct pooled_context {
    void *context;
    void *pool;
    int threads;
    bool attached;
    struct pooled_context *next;
};

static struct pooled_context *pooled_contexts;
/* Guards all of the above. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns whether the parameters of a pool are laid out as above: its defaults are where they are expected. */
static bool params_are_known(void) {
    union pool_params_room room;
    memset(&room, 0xAA, sizeof room);
    engine.init_params(&room, 7);
    const struct pool_params *params = &room.params;
    return params->n_threads == 7 && params->priority == 0 && params->poll == 50 && !params->strict_cpu && !params->paused;
}

/* Finds the engine's functions. `caller` is an address in the engine's addon, which depends on the libraries that have them. */
static void find_engine(void *caller) {
    if (engine.state != ENGINE_UNKNOWN) return;
    engine.state = ENGINE_FOREIGN;
    Dl_info info;
    if (dladdr(caller, &info) == 0) return;
    /* It stays open: the addon is never unloaded. */
    void *addon = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (addon == NULL) return;
    engine.n_threads = dlsym(addon, "llama_n_threads");
    engine.set_n_threads = dlsym(addon, "llama_set_n_threads");
    engine.free_context = dlsym(addon, "llama_free");
    engine.attach = dlsym(addon, "llama_attach_threadpool");
    engine.init_params = dlsym(addon, "ggml_threadpool_params_init");
    void *(*backend_named)(const char *) = dlsym(addon, "ggml_backend_reg_by_name");
    void *(*function_of)(void *, const char *) = dlsym(addon, "ggml_backend_reg_get_proc_address");
    if (engine.attach == NULL || engine.init_params == NULL || backend_named == NULL || function_of == NULL) return;
    void *cpu = backend_named("CPU");
    if (cpu == NULL) return;
    engine.new_pool = function_of(cpu, "ggml_threadpool_new");
    engine.free_pool = function_of(cpu, "ggml_threadpool_free");
    if (engine.new_pool != NULL && engine.free_pool != NULL && params_are_known()) engine.state = ENGINE_USABLE;
}

static struct pooled_context *find_or_add(void *context) {
    for (struct pooled_context *each = pooled_contexts; each != NULL; each = each->next)
        if (each->context == context) return each;
    struct pooled_context *added = calloc(1, sizeof *added);
    if (added == NULL) return NULL;
    added->context = context;
    added->next = pooled_contexts;
    pooled_contexts = added;
    return added;
}

static void detach(struct pooled_context *pooled) {
    if (pooled->attached) engine.attach(pooled->context, NULL, NULL);
    pooled->attached = false;
}

/* Replaces the pool by one of this many threads. */
static void grow(struct pooled_context *pooled, int threads) {
    detach(pooled);
    if (pooled->pool != NULL) engine.free_pool(pooled->pool);
    union pool_params_room room;
    memset(&room, 0, sizeof room);
    engine.init_params(&room, threads);
    room.params.poll = poll_level;
    pooled->pool = engine.new_pool(&room);
    pooled->threads = pooled->pool == NULL ? 0 : threads;
}

/* Gives a context a pool of at least this many threads; with a single thread, takes it away. No decode of the context is running. */
static void use_pool(void *context, int threads) {
    if (engine.state != ENGINE_USABLE) return;
    struct pooled_context *pooled = find_or_add(context);
    if (pooled == NULL) return;
    if (threads <= 1) {
        detach(pooled);
        return;
    }
    if (pooled->threads < threads) grow(pooled, threads);
    if (pooled->pool == NULL || pooled->attached) return;
    engine.attach(context, pooled->pool, pooled->pool);
    pooled->attached = true;
}

/* The addon asks for the threads before every decode, and sets them only when they change. */
EXPORTED int32_t llama_n_threads(void *context) {
    pthread_mutex_lock(&lock);
    find_engine(__builtin_return_address(0));
    const int32_t threads = engine.n_threads(context);
    use_pool(context, threads);
    pthread_mutex_unlock(&lock);
    return threads;
}

EXPORTED void llama_set_n_threads(void *context, int32_t threads, int32_t batch_threads) {
    pthread_mutex_lock(&lock);
    find_engine(__builtin_return_address(0));
    use_pool(context, threads > batch_threads ? threads : batch_threads);
    pthread_mutex_unlock(&lock);
    engine.set_n_threads(context, threads, batch_threads);
}

EXPORTED void llama_free(void *context) {
    pthread_mutex_lock(&lock);
    find_engine(__builtin_return_address(0));
    struct pooled_context *removed = NULL;
    for (struct pooled_context **link = &pooled_contexts; *link != NULL; link = &(*link)->next) {
        if ((*link)->context != context) continue;
        removed = *link;
        *link = removed->next;
        break;
    }
    pthread_mutex_unlock(&lock);
    engine.free_context(context);
    if (removed == NULL) return;
    if (removed->pool != NULL) engine.free_pool(removed->pool);
    free(removed);
}

/* Returns the number of contexts that have a pool; -1 for an engine that cannot have one. */
static napi_value count_pools(napi_env env, napi_callback_info info) {
    (void)info;
    int32_t count = 0;
    pthread_mutex_lock(&lock);
    for (struct pooled_context *each = pooled_contexts; each != NULL; each = each->next) count += each->pool != NULL;
    if (engine.state == ENGINE_FOREIGN) count = -1;
    pthread_mutex_unlock(&lock);
    napi_value result = NULL;
    napi_create_int32(env, count, &result);
    return result;
}

EXPORTED napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    return export_function(env, exports, "countPools", count_pools);
}

/*
 * Takes calls of the engine's addon on their way to llama.cpp, and adds what the addon does not offer:
 *
 * - The threads that compute a context are kept between two tokens. The prebuilt engine makes new threads for every decode and joins them
 *   again: it never attaches a thread pool, so ggml makes a disposable one for each graph. A context that uses more than one thread gets a
 *   pool of its own; one that uses a single thread has none, because the pool's other threads would only wait.
 * - The address of a context, by which other native code works on it.
 * - A decode that is running can be ended, the cells of a sequence are copied, and its state is read into memory and written back.
 * - A model is placed on devices as its settings say: tensors that stay in main memory, the main GPU, the split.
 * - An assertion of ggml, which would end the process, becomes a C++ exception, which the addon turns into an error of the call. Not on a
 *   thread of JavaScript, where nothing catches it.
 *
 * engine-hooks.ts loads this library with RTLD_GLOBAL before the engine's addon. The addon's calls of the llama.cpp functions defined here
 * then lead here, and from here to the engine's own functions. Where the engine lacks a function, or its parameters are laid out in another
 * way, the calls are passed on unchanged.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
    void (*set_abort)(void *context, bool (*is_aborted)(void *flag), void *flag);
    void *(*memory)(void *context);
    void (*copy_cells)(void *memory, int32_t from, int32_t to, int32_t first, int32_t end);
    size_t (*state_size)(void *context, int32_t sequence);
    size_t (*read_state)(void *context, uint8_t *state, size_t bytes, int32_t sequence);
    size_t (*write_state)(void *context, const uint8_t *state, size_t bytes, int32_t sequence);
    void (*throw_error)(const char *message);
} engine;

struct known_context {
    void *context;
    void *pool;
    int threads;
    bool attached;
    /* Whether the decode that is running is to end. */
    atomic_bool is_aborted;
    struct known_context *next;
};

static struct known_context *known_contexts;
static bool keeps_threads;
/* Guards all of the above. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether the thread runs JavaScript. */
static __thread bool is_javascript;
/* The context whose number of threads was asked for last on this thread. */
static __thread void *last_asked;

/* Returns whether the parameters of a pool are laid out as above: its defaults are where they are expected. */
static bool params_are_known(void) {
    union pool_params_room room;
    memset(&room, 0xAA, sizeof room);
    engine.init_params(&room, 7);
    const struct pool_params *params = &room.params;
    return params->n_threads == 7 && params->priority == 0 && params->poll == 50 && !params->strict_cpu && !params->paused;
}

/* Called by ggml before it ends the process, in place of its own message; returns where nothing would catch the exception. */
static void on_assertion(const char *message) {
    if (!is_javascript && engine.throw_error != NULL) engine.throw_error(message);
    fprintf(stderr, "%s\n", message);
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
    engine.set_abort = dlsym(addon, "llama_set_abort_callback");
    engine.memory = dlsym(addon, "llama_get_memory");
    engine.copy_cells = dlsym(addon, "llama_memory_seq_cp");
    engine.state_size = dlsym(addon, "llama_state_seq_get_size");
    engine.read_state = dlsym(addon, "llama_state_seq_get_data");
    engine.write_state = dlsym(addon, "llama_state_seq_set_data");
    engine.throw_error = dlsym(addon, "_ZSt21__throw_runtime_errorPKc");
    void *(*on_abort)(void (*)(const char *)) = dlsym(addon, "ggml_set_abort_callback");
    if (on_abort != NULL) on_abort(on_assertion);
    void *(*backend_named)(const char *) = dlsym(addon, "ggml_backend_reg_by_name");
    void *(*function_of)(void *, const char *) = dlsym(addon, "ggml_backend_reg_get_proc_address");
    if (engine.attach == NULL || engine.init_params == NULL || backend_named == NULL || function_of == NULL) return;
    void *cpu = backend_named("CPU");
    if (cpu == NULL) return;
    engine.new_pool = function_of(cpu, "ggml_threadpool_new");
    engine.free_pool = function_of(cpu, "ggml_threadpool_free");
    if (engine.new_pool != NULL && engine.free_pool != NULL && params_are_known()) engine.state = ENGINE_USABLE;
}

static struct known_context *find_or_add(void *context) {
    for (struct known_context *each = known_contexts; each != NULL; each = each->next)
        if (each->context == context) return each;
    struct known_context *added = calloc(1, sizeof *added);
    if (added == NULL) return NULL;
    added->context = context;
    added->next = known_contexts;
    known_contexts = added;
    return added;
}

static void detach(struct known_context *pooled) {
    if (pooled->attached) engine.attach(pooled->context, NULL, NULL);
    pooled->attached = false;
}

/* Replaces the pool by one of this many threads. */
static void grow(struct known_context *pooled, int threads) {
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
    if (engine.state != ENGINE_USABLE || !keeps_threads) return;
    struct known_context *pooled = find_or_add(context);
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
    last_asked = context;
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
    struct known_context *removed = NULL;
    for (struct known_context **link = &known_contexts; *link != NULL; link = &(*link)->next) {
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

/* The beginning of `llama_model_params` of llama.h, and room for the rest of it. */
struct model_params {
    void *devices;
    const struct tensor_override *overrides;
    int32_t n_gpu_layers;
    int32_t split_mode;
    int32_t load_mode;
    int32_t lazy_mode;
    int32_t main_gpu;
    const float *tensor_split;
    char rest[256];
};

/* `llama_model_tensor_buft_override`; a list ends with one without a pattern. */
struct tensor_override {
    const char *pattern;
    void *buffer_type;
};

/* More than the settings of a model allow. */
enum { PATTERNS_MAX = 1024, SHARES_MAX = 128, PLACEMENT_BYTES_MAX = 131072 };
/* Of `ggml_backend_dev_type`. */
enum { DEVICE_CPU = 0 };
/* Of `llama_split_mode`. */
enum { SPLIT_NONE = 0, SPLIT_LAYER = 1 };

/* How the models that are loaded from now on are placed. The caller loads one at a time. */
static struct {
    bool is_set;
    /* Lines: patterns of the names of tensors that stay in main memory. */
    char patterns[PLACEMENT_BYTES_MAX];
    /* -1: as the engine has it. */
    int32_t main_gpu;
    int32_t split_mode;
    int32_t share_count;
    float shares[SHARES_MAX];
} placement;

/* Returns whether the parameters of a model are laid out as above: their defaults are where they are expected. */
static bool model_params_are_known(void *addon) {
    struct model_params (*defaults)(void) = (struct model_params (*)(void))dlsym(addon, "llama_model_default_params");
    if (defaults == NULL) return false;
    const struct model_params params = defaults();
    return params.devices == NULL && params.overrides == NULL && params.n_gpu_layers == -1 && params.split_mode == SPLIT_LAYER &&
           params.main_gpu == 0 && params.tensor_split == NULL;
}

/* Cuts the patterns into a list of overrides. Returns its length. */
static size_t list_overrides(void *addon, struct tensor_override *overrides) {
    void *(*device_of)(int) = (void *(*)(int))dlsym(addon, "ggml_backend_dev_by_type");
    void *(*buffer_of)(void *) = (void *(*)(void *))dlsym(addon, "ggml_backend_dev_buffer_type");
    if (device_of == NULL || buffer_of == NULL) return 0;
    void *main_memory = buffer_of(device_of(DEVICE_CPU));
    size_t count = 0;
    char *rest = NULL;
    for (char *line = strtok_r(placement.patterns, "\n", &rest); line != NULL && count < PATTERNS_MAX - 1; line = strtok_r(NULL, "\n", &rest)) {
        overrides[count].pattern = line;
        overrides[count].buffer_type = main_memory;
        count += 1;
    }
    overrides[count].pattern = NULL;
    overrides[count].buffer_type = NULL;
    return count;
}

typedef void *(*load_function)(const char *path, struct model_params params);

/* The addon loads every model by this function. */
EXPORTED void *llama_model_load_from_file(const char *path, struct model_params params) {
    Dl_info info;
    void *addon = dladdr(__builtin_return_address(0), &info) == 0 ? NULL : dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    load_function own = addon == NULL ? NULL : (load_function)dlsym(addon, "llama_model_load_from_file");
    if (own == NULL) return NULL;
    // The first call of the engine: assertions are errors from now on.
    pthread_mutex_lock(&lock);
    find_engine(__builtin_return_address(0));
    pthread_mutex_unlock(&lock);
    static struct tensor_override overrides[PATTERNS_MAX];
    if (placement.is_set && model_params_are_known(addon)) {
        if (list_overrides(addon, overrides) > 0) params.overrides = overrides;
        if (placement.main_gpu >= 0) params.main_gpu = placement.main_gpu;
        if (placement.split_mode >= 0) params.split_mode = placement.split_mode;
        if (placement.share_count > 0) params.tensor_split = placement.shares;
    }
    return own(path, params);
}

static bool read_flag(void *flag) {
    return atomic_load((atomic_bool *)flag);
}

/* Reads the arguments of a call: an address, then numbers or booleans as `int32_t`. Missing ones are 0. */
static void *read_arguments(napi_env env, napi_callback_info info, int32_t *numbers, size_t count) {
    napi_value arguments[4] = {NULL};
    size_t given = 4;
    uint64_t address = 0;
    bool is_exact = false;
    napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
    if (given > 0) napi_get_value_bigint_uint64(env, arguments[0], &address, &is_exact);
    for (size_t at = 0; at < count; at++) {
        numbers[at] = 0;
        if (at + 1 < given) napi_get_value_int32(env, arguments[at + 1], &numbers[at]);
    }
    return (void *)(uintptr_t)address;
}

static napi_value boolean(napi_env env, bool value) {
    napi_value result = NULL;
    napi_get_boolean(env, value, &result);
    return result;
}

/* Takes one boolean: whether contexts keep their threads from now on. */
static napi_value keep_threads(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value argument = NULL;
    bool value = false;
    napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
    if (count > 0 && napi_get_value_bool(env, argument, &value) == 0) {
        pthread_mutex_lock(&lock);
        keeps_threads = value;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* Returns the number of contexts that have a pool; -1 for an engine that cannot have one. */
static napi_value count_pools(napi_env env, napi_callback_info info) {
    (void)info;
    int32_t count = 0;
    pthread_mutex_lock(&lock);
    for (struct known_context *each = known_contexts; each != NULL; each = each->next) count += each->pool != NULL;
    if (engine.state == ENGINE_FOREIGN) count = -1;
    pthread_mutex_unlock(&lock);
    napi_value result = NULL;
    napi_create_int32(env, count, &result);
    return result;
}

/* Returns the address of the context whose number of threads this thread asked for last, and forgets it; 0n: of none. */
static napi_value take_context(napi_env env, napi_callback_info info) {
    (void)info;
    napi_value result = NULL;
    napi_create_bigint_uint64(env, (uint64_t)(uintptr_t)last_asked, &result);
    last_asked = NULL;
    return result;
}

/*
 * Makes the functions of llama.cpp and ggml visible to libraries that are loaded later, so that these work with each variant of the
 * engine: its files have other names for each. Returns whether the engine is loaded.
 */
static napi_value share_engine(napi_env env, napi_callback_info info) {
    (void)info;
    Dl_info library;
    const bool is_found = engine.n_threads != NULL && dladdr((void *)engine.n_threads, &library) != 0;
    return boolean(env, is_found && dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) != NULL);
}

/* Takes a context and 1 or 0: ends its running decode and each later one, or lets it decode again. Returns whether that is possible. */
static napi_value abort_decode(napi_env env, napi_callback_info info) {
    int32_t is_aborted = 0;
    void *context = read_arguments(env, info, &is_aborted, 1);
    pthread_mutex_lock(&lock);
    struct known_context *known = engine.set_abort == NULL || context == NULL ? NULL : find_or_add(context);
    pthread_mutex_unlock(&lock);
    if (known == NULL) return boolean(env, false);
    atomic_store(&known->is_aborted, is_aborted != 0);
    return boolean(env, true);
}

/* Takes a context that no decode uses: from now on `abort_decode` ends its decodes. */
static napi_value allow_abort(napi_env env, napi_callback_info info) {
    void *context = read_arguments(env, info, NULL, 0);
    pthread_mutex_lock(&lock);
    struct known_context *known = engine.set_abort == NULL || context == NULL ? NULL : find_or_add(context);
    pthread_mutex_unlock(&lock);
    if (known == NULL) return boolean(env, false);
    engine.set_abort(context, read_flag, &known->is_aborted);
    return boolean(env, true);
}

/* Takes texts and numbers: patterns as lines, main GPU, way of splitting (-1: as the engine has them), shares of GPUs as a list with commas. */
static napi_value set_placement(napi_env env, napi_callback_info info) {
    napi_value arguments[4] = {NULL};
    size_t given = 4, length = 0;
    char shares[1024] = "";
    napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
    memset(&placement, 0, sizeof placement);
    placement.main_gpu = placement.split_mode = -1;
    if (given < 4) return NULL;
    placement.is_set = true;
    napi_get_value_string_utf8(env, arguments[0], placement.patterns, sizeof placement.patterns, &length);
    napi_get_value_int32(env, arguments[1], &placement.main_gpu);
    napi_get_value_int32(env, arguments[2], &placement.split_mode);
    napi_get_value_string_utf8(env, arguments[3], shares, sizeof shares, &length);
    char *rest = NULL;
    for (char *share = strtok_r(shares, ",", &rest); share != NULL && placement.share_count < SHARES_MAX; share = strtok_r(NULL, ",", &rest))
        placement.shares[placement.share_count++] = strtof(share, NULL);
    return NULL;
}

/* Takes a context that no decode uses, and two of its sequences: the second, which is empty, gets all cells of the first. */
static napi_value copy_sequence(napi_env env, napi_callback_info info) {
    int32_t sequences[2] = {0};
    void *context = read_arguments(env, info, sequences, 2);
    if (context == NULL || engine.memory == NULL || engine.copy_cells == NULL) return boolean(env, false);
    engine.copy_cells(engine.memory(context), sequences[0], sequences[1], -1, -1);
    return boolean(env, true);
}

/* Takes a context that no decode uses, and a sequence. Returns its state as an ArrayBuffer; undefined where it cannot be had. */
static napi_value read_state(napi_env env, napi_callback_info info) {
    int32_t sequence = 0;
    void *context = read_arguments(env, info, &sequence, 1);
    if (context == NULL || engine.state_size == NULL || engine.read_state == NULL) return NULL;
    const size_t bytes = engine.state_size(context, sequence);
    void *state = NULL;
    napi_value result = NULL;
    if (bytes == 0 || napi_create_arraybuffer(env, bytes, &state, &result) != 0) return NULL;
    return engine.read_state(context, state, bytes, sequence) == bytes ? result : NULL;
}

/* Takes a context that no decode uses, one of its sequences, which is empty, and a state of `read_state`. Returns whether it was taken. */
static napi_value write_state(napi_env env, napi_callback_info info) {
    int32_t sequence = 0;
    void *context = read_arguments(env, info, &sequence, 1);
    napi_value arguments[3] = {NULL};
    size_t given = 3, bytes = 0;
    void *state = NULL;
    napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
    if (context == NULL || engine.write_state == NULL || given < 3) return boolean(env, false);
    if (napi_get_arraybuffer_info(env, arguments[2], &state, &bytes) != 0 || bytes == 0) return boolean(env, false);
    return boolean(env, engine.write_state(context, state, bytes, sequence) == bytes);
}

EXPORTED napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    is_javascript = true;
    export_function(env, exports, "keepThreads", keep_threads);
    export_function(env, exports, "countPools", count_pools);
    export_function(env, exports, "takeContext", take_context);
    export_function(env, exports, "shareEngine", share_engine);
    export_function(env, exports, "setPlacement", set_placement);
    export_function(env, exports, "allowAbort", allow_abort);
    export_function(env, exports, "abortDecode", abort_decode);
    export_function(env, exports, "copySequence", copy_sequence);
    export_function(env, exports, "readState", read_state);
    return export_function(env, exports, "writeState", write_state);
}

/*
 * Bounds what a grammar may cost for one token. llama.cpp keeps one stack for each way in which a text may be read: a grammar whose
 * alternatives are told apart late has exponentially many, and sampling one token then takes minutes on a thread that nothing can end.
 *
 * grammar-work.ts loads this library with RTLD_GLOBAL before the engine's addon. The engine's calls of the functions below then lead
 * here, and from here to its own functions. The first two begin and end the work of a grammar for a token; the others are called again
 * and again during that work, by every step that llama.cpp takes. Once the work has taken its thread `cpu_ns_max` of CPU time, they throw a
 * C++ exception. The addon turns it into an error of that token.
 *
 * Where the engine lacks a function, or calls it without leaving its library, the work has no bound here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>
#include <time.h>
#include "node-api.h"

/* What grammar-work.ts finds in errors. */
static const char *const exceeded_message = "hearth: a grammar takes too long for one token";
static const int64_t cpu_ns_max = 1000000000;
/* Steps between two readings of the clock; each takes a millisecond at most. */
static const unsigned steps_per_reading = 64;

/* The work of the thread for the current token. */
static __thread struct {
    /* NULL between two tokens. */
    const void *grammar;
    bool is_running;
    bool is_exceeded;
    unsigned steps;
    int64_t spent_ns;
    int64_t started_ns;
} work;

typedef void (*throw_function)(const char *message);
static _Atomic(throw_function) engine_throw;

static int64_t thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Finds a function of the engine. `caller` is an address in a library that has it, or that depends on one. */
static void *find_function(void *caller, const char *name) {
    Dl_info info;
    if (dladdr(caller, &info) == 0) return NULL;
    void *library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) return NULL;
    if (atomic_load(&engine_throw) == NULL)
        atomic_store(&engine_throw, (throw_function)dlsym(library, "_ZSt21__throw_runtime_errorPKc"));
    return dlsym(library, name);
}

static void exceed(void) {
    throw_function throw_error = atomic_load(&engine_throw);
    if (throw_error == NULL) return;
    work.is_running = false;
    work.is_exceeded = true;
    throw_error(exceeded_message);
}

static void begin(const void *grammar) {
    if (work.grammar != grammar) {
        work.grammar = grammar;
        work.spent_ns = 0;
        work.is_exceeded = false;
    }
    if (work.is_exceeded) exceed();
    work.steps = 0;
    work.started_ns = thread_ns();
    work.is_running = true;
}

static void end(void) {
    work.is_running = false;
    work.spent_ns += thread_ns() - work.started_ns;
}

static void take_step(void) {
    if (!work.is_running || ++work.steps % steps_per_reading != 0) return;
    if (work.spent_ns + thread_ns() - work.started_ns > cpu_ns_max) exceed();
}

typedef void (*apply_function)(const void *grammar, void *candidates);
typedef void (*accept_function)(void *grammar, int32_t token);
typedef void (*reserve_function)(void *vector, size_t count);
typedef void (*insert_function)(void *vector, void *position, void *value);

/* Declares `own`, the engine's function of the same name, which the first call finds. */
#define ENGINE_FUNCTION(type)                                                \
    static _Atomic(type) found;                                              \
    type own = atomic_load(&found);                                          \
    if (own == NULL) {                                                       \
        own = (type)find_function(__builtin_return_address(0), __func__);    \
        atomic_store(&found, own);                                           \
    }

/* `llama_grammar_apply_impl(const llama_grammar &, llama_token_data_array *)`: rules candidates out. */
EXPORTED void _Z24llama_grammar_apply_implRK13llama_grammarP22llama_token_data_array(const void *grammar, void *candidates) {
    ENGINE_FUNCTION(apply_function)
    begin(grammar);
    own(grammar, candidates);
    end();
}

/* `llama_grammar_accept_impl(llama_grammar &, llama_token)`: goes on behind a token, which ends the work for it. */
EXPORTED void _Z25llama_grammar_accept_implR13llama_grammari(void *grammar, int32_t token) {
    ENGINE_FUNCTION(accept_function)
    begin(grammar);
    own(grammar, token);
    end();
    work.grammar = NULL;
}

/* `std::vector<llama_grammar_candidate>::reserve(size_t)`: called for every stack that candidates are compared with. */
EXPORTED void _ZNSt6vectorI23llama_grammar_candidateSaIS0_EE7reserveEm(void *vector, size_t count) {
    ENGINE_FUNCTION(reserve_function)
    take_step();
    own(vector, count);
}

/* `std::vector<const llama_grammar_element *>::_M_realloc_insert`, of a reference and of a value: called for every new stack. */
EXPORTED void
_ZNSt6vectorIPK21llama_grammar_elementSaIS2_EE17_M_realloc_insertIJRKS2_EEEvN9__gnu_cxx17__normal_iteratorIPS2_S4_EEDpOT_(
    void *vector, void *position, void *value) {
    ENGINE_FUNCTION(insert_function)
    take_step();
    own(vector, position, value);
}

EXPORTED void
_ZNSt6vectorIPK21llama_grammar_elementSaIS2_EE17_M_realloc_insertIJS2_EEEvN9__gnu_cxx17__normal_iteratorIPS2_S4_EEDpOT_(
    void *vector, void *position, void *value) {
    ENGINE_FUNCTION(insert_function)
    take_step();
    own(vector, position, value);
}

/* Returns the CPU time that the grammar of an answer may take for one token, in milliseconds. */
static napi_value cpu_ms_max(napi_env env, napi_callback_info info) {
    (void)info;
    napi_value result = NULL;
    napi_create_int32(env, (int32_t)(cpu_ns_max / 1000000), &result);
    return result;
}

EXPORTED napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    return export_function(env, exports, "cpuMsMax", cpu_ms_max);
}

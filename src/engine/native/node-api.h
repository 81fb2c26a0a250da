/*
 * The functions of Node-API that the C files here use. Its binary interface is stable: they are declared here, so that no header of
 * Node.js is needed to compile.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef struct napi_deferred__ *napi_deferred;
typedef struct napi_threadsafe_function__ *napi_threadsafe_function;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef void (*napi_finalize)(napi_env env, void *data, void *hint);
typedef void (*napi_call_js)(napi_env env, napi_value function, void *context, void *data);

/* Of `napi_typedarray_type`. */
enum { napi_uint32_array = 6, napi_float32_array = 7 };

int napi_call_threadsafe_function(napi_threadsafe_function function, void *data, int mode);
int napi_create_array_with_length(napi_env env, size_t length, napi_value *result);
int napi_create_arraybuffer(napi_env env, size_t bytes, void **data, napi_value *result);
int napi_create_bigint_uint64(napi_env env, uint64_t value, napi_value *result);
int napi_create_double(napi_env env, double value, napi_value *result);
int napi_create_error(napi_env env, napi_value code, napi_value message, napi_value *result);
int napi_create_external(napi_env env, void *data, napi_finalize finalize, void *hint, napi_value *result);
int napi_create_function(napi_env env, const char *name, size_t length, napi_callback call, void *data, napi_value *result);
int napi_create_int32(napi_env env, int32_t value, napi_value *result);
int napi_create_object(napi_env env, napi_value *result);
int napi_create_promise(napi_env env, napi_deferred *deferred, napi_value *promise);
int napi_create_string_utf8(napi_env env, const char *text, size_t length, napi_value *result);
int napi_create_threadsafe_function(napi_env env, napi_value function, napi_value resource, napi_value name, size_t queue_max,
                                    size_t threads, void *finalize_data, napi_finalize finalize, void *context, napi_call_js call,
                                    napi_threadsafe_function *result);
int napi_create_typedarray(napi_env env, int type, size_t length, napi_value buffer, size_t offset, napi_value *result);
int napi_get_arraybuffer_info(napi_env env, napi_value buffer, void **data, size_t *bytes);
int napi_get_boolean(napi_env env, bool value, napi_value *result);
int napi_get_cb_info(napi_env env, napi_callback_info info, size_t *argc, napi_value *argv, napi_value *receiver, void **data);
int napi_get_named_property(napi_env env, napi_value object, const char *name, napi_value *result);
int napi_get_typedarray_info(napi_env env, napi_value array, int *type, size_t *length, void **data, napi_value *buffer, size_t *offset);
int napi_get_value_bigint_uint64(napi_env env, napi_value value, uint64_t *result, bool *lossless);
int napi_get_value_bool(napi_env env, napi_value value, bool *result);
int napi_get_value_double(napi_env env, napi_value value, double *result);
int napi_get_value_external(napi_env env, napi_value value, void **result);
int napi_get_value_int32(napi_env env, napi_value value, int32_t *result);
int napi_get_value_string_utf8(napi_env env, napi_value value, char *text, size_t room, size_t *length);
int napi_has_named_property(napi_env env, napi_value object, const char *name, bool *result);
int napi_reject_deferred(napi_env env, napi_deferred deferred, napi_value error);
int napi_release_threadsafe_function(napi_threadsafe_function function, int mode);
int napi_resolve_deferred(napi_env env, napi_deferred deferred, napi_value value);
int napi_set_element(napi_env env, napi_value array, uint32_t index, napi_value value);
int napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);
int napi_throw_error(napi_env env, const char *code, const char *message);

/* Adds a function to the exports of a library. */
static inline napi_value export_function(napi_env env, napi_value exports, const char *name, napi_callback call) {
    napi_value function = NULL;
    napi_create_function(env, name, (size_t)-1, call, NULL, &function);
    napi_set_named_property(env, exports, name, function);
    return exports;
}

#ifdef __cplusplus
}
#endif

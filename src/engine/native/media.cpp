/*
 * Images and sound in prompts, by libmtmd of llama.cpp: a projector computes embeddings of them, which a text model reads in place of tokens.
 * media.ts has the functions as they are called. `scripts/build/media.mjs` compiles this file together with libmtmd, out of the source that
 * the engine's package contains. It is linked to no library: engine-hooks.c shares the functions of the engine that is loaded, whichever
 * variant that is.
 *
 * A medium is laid out in chunks: text tokens of the model's own marks, and embeddings. An encode computes one chunk on a thread of its own,
 * in parts: after each it waits until it may go on, so that answers of the same model can have tokens in between.
 *
 * Assertions of ggml become exceptions here (engine-hooks.c); each of them rejects the promise of the call.
 */
#include "llama.h"
#include "mtmd.h"
#include "node-api.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

/* ------------------------------------------------------------------------------------------------ values of JavaScript */

struct Arguments {
    size_t count = 10;
    napi_value at[10] = {};
    Arguments(napi_env env, napi_callback_info info) { napi_get_cb_info(env, info, &count, at, nullptr, nullptr); }
};

double read_number(napi_env env, napi_value value) {
    double number = 0;
    napi_get_value_double(env, value, &number);
    return number;
}

std::string read_text(napi_env env, napi_value value) {
    size_t length = 0;
    napi_get_value_string_utf8(env, value, nullptr, 0, &length);
    std::string text(length, '\0');
    napi_get_value_string_utf8(env, value, &text[0], length + 1, &length);
    return text;
}

bool read_property(napi_env env, napi_value object, const char *name, napi_value *value) {
    bool is_there = false;
    napi_has_named_property(env, object, name, &is_there);
    return is_there && napi_get_named_property(env, object, name, value) == 0;
}

double read_number(napi_env env, napi_value object, const char *name) {
    napi_value value = nullptr;
    return read_property(env, object, name, &value) ? read_number(env, value) : 0;
}

llama_context *read_context(napi_env env, napi_value value) {
    uint64_t address = 0;
    bool is_exact = false;
    napi_get_value_bigint_uint64(env, value, &address, &is_exact);
    return reinterpret_cast<llama_context *>(static_cast<uintptr_t>(address));
}

napi_value number(napi_env env, double value) {
    napi_value made = nullptr;
    napi_create_double(env, value, &made);
    return made;
}

napi_value boolean(napi_env env, bool value) {
    napi_value made = nullptr;
    napi_get_boolean(env, value, &made);
    return made;
}

napi_value text(napi_env env, const std::string &value) {
    napi_value made = nullptr;
    napi_create_string_utf8(env, value.data(), value.size(), &made);
    return made;
}

napi_value object(napi_env env) {
    napi_value made = nullptr;
    napi_create_object(env, &made);
    return made;
}

void set(napi_env env, napi_value into, const char *name, napi_value value) {
    napi_set_named_property(env, into, name, value);
}

/* Copies numbers of four bytes each into a typed array. */
napi_value numbers(napi_env env, int type, const void *values, size_t count) {
    napi_value buffer = nullptr, made = nullptr;
    void *room = nullptr;
    napi_create_arraybuffer(env, count * 4, &room, &buffer);
    if (count > 0) memcpy(room, values, count * 4);
    napi_create_typedarray(env, type, count, buffer, 0, &made);
    return made;
}

/* A value that JavaScript holds; the object is freed once neither JavaScript nor running work has it. */
template <class T> napi_value handle(napi_env env, std::shared_ptr<T> held) {
    napi_value made = nullptr;
    auto *owner = new std::shared_ptr<T>(std::move(held));
    const auto release = [](napi_env, void *data, void *) { delete static_cast<std::shared_ptr<T> *>(data); };
    napi_create_external(env, owner, release, nullptr, &made);
    return made;
}

template <class T> std::shared_ptr<T> read_handle(napi_env env, napi_value value) {
    void *owner = nullptr;
    napi_get_value_external(env, value, &owner);
    return owner == nullptr ? nullptr : *static_cast<std::shared_ptr<T> *>(owner);
}

/* Work on a thread of its own, and the promise of its result. */
struct Work {
    std::function<void()> run;
    std::function<napi_value(napi_env)> result;
    napi_deferred promise = nullptr;
    napi_threadsafe_function finish = nullptr;
    std::thread thread;
    bool has_failed = false;
    std::string error;
};

void settle(napi_env env, napi_value, void *context, void *) {
    std::unique_ptr<Work> work(static_cast<Work *>(context));
    work->thread.join();
    // The environment is closing.
    if (env == nullptr) return;
    if (work->has_failed) {
        napi_value error = nullptr;
        napi_create_error(env, nullptr, text(env, work->error), &error);
        napi_reject_deferred(env, work->promise, error);
    } else {
        napi_resolve_deferred(env, work->promise, work->result(env));
    }
    napi_release_threadsafe_function(work->finish, 0);
}

/* Runs `run`, which may throw, on a thread; then `result` on the thread of JavaScript. */
napi_value in_background(napi_env env, std::function<void()> run, std::function<napi_value(napi_env)> result) {
    auto *work = new Work{};
    work->run = std::move(run);
    work->result = std::move(result);
    napi_value promise = nullptr;
    napi_create_promise(env, &work->promise, &promise);
    napi_create_threadsafe_function(env, nullptr, nullptr, text(env, "media"), 0, 1, nullptr, nullptr, work, settle, &work->finish);
    work->thread = std::thread([work] {
        try {
            work->run();
        } catch (const std::exception &thrown) {
            work->has_failed = true;
            work->error = thrown.what();
        }
        napi_call_threadsafe_function(work->finish, nullptr, 1);
    });
    return promise;
}

/* ------------------------------------------------------------------------------------------------------------ projector */

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* The parts of one encode. Its thread computes while it is granted, and waits at the end of each part. */
class Parts {
  public:
    void begin() {
        std::unique_lock<std::mutex> lock(mutex);
        flops = 0;
        wait(lock);
    }

    /* Called before and after each node of the graph. Before: returns whether the part ends with it. After: whether to go on. */
    bool on_node(const ggml_tensor *node, bool is_before) {
        if (!is_running) return !is_before;
        if (is_before) {
            flops += count_flops(node);
            return flops >= flops_per_ms * part_ms;
        }
        std::unique_lock<std::mutex> lock(mutex);
        // Not by the speed of this part: a part has a cost of its own, so that short ones would make the next ones shorter still.
        flops_per_ms *= std::clamp(part_ms / std::max(now_ms() - began, ms_measured_min), 0.5, 2.0);
        flops = 0;
        is_granted = false;
        wait(lock);
        return !is_aborted;
    }

    void end() {
        std::unique_lock<std::mutex> lock(mutex);
        is_running = false;
        is_waiting = true;
        changed.notify_all();
    }

    /* Lets the encode compute one part of about this time. Returns whether it has ended. */
    bool grant(double ms) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return is_waiting; });
        if (!is_running) return true;
        part_ms = ms;
        is_waiting = false;
        is_granted = true;
        changed.notify_all();
        changed.wait(lock, [&] { return is_waiting; });
        return !is_running;
    }

    void abort() {
        std::unique_lock<std::mutex> lock(mutex);
        is_aborted = true;
        changed.notify_all();
    }

    bool was_aborted() {
        std::unique_lock<std::mutex> lock(mutex);
        return is_aborted;
    }

    /* Before the encode is started, so that a grant never meets the end of the one before. */
    void expect() {
        std::unique_lock<std::mutex> lock(mutex);
        is_waiting = is_granted = is_aborted = false;
        is_running = true;
    }

  private:
    static constexpr double ms_measured_min = 0.05;

    std::mutex mutex;
    std::condition_variable changed;
    bool is_running = false, is_granted = false, is_waiting = true, is_aborted = false;
    double part_ms = 0, began = 0, flops = 0;
    /* A guess for one core, corrected by how long each part took. */
    double flops_per_ms = 5e7;

    void wait(std::unique_lock<std::mutex> &lock) {
        is_waiting = true;
        changed.notify_all();
        changed.wait(lock, [&] { return is_granted || is_aborted; });
        is_waiting = false;
        began = now_ms();
    }

    static double count_flops(const ggml_tensor *node) {
        const auto elements = static_cast<double>(ggml_nelements(node));
        if (node->op == GGML_OP_MUL_MAT && node->src[0] != nullptr) return 2 * elements * static_cast<double>(node->src[0]->ne[0]);
        if (node->op == GGML_OP_FLASH_ATTN_EXT && node->src[1] != nullptr) return 4 * elements * static_cast<double>(node->src[1]->ne[1]);
        return 2 * elements;
    }
};

struct Projector {
    mtmd_context *context = nullptr;
    size_t embedding_size = 0;
    Parts parts;
    ~Projector() {
        if (context != nullptr) mtmd_free(context);
    }
};

std::shared_ptr<Projector> read_projector(napi_env env, napi_value value) {
    auto projector = read_handle<Projector>(env, value);
    if (projector == nullptr || projector->context == nullptr) napi_throw_error(env, nullptr, "the projector is closed");
    return projector;
}

bool on_node(ggml_tensor *node, bool is_before, void *projector) {
    return static_cast<Projector *>(projector)->parts.on_node(node, is_before);
}

/* The last error that libmtmd logged on this thread, which its return values do not tell. */
thread_local std::string last_error;

void on_log(ggml_log_level level, const char *line, void *) {
    if (level != GGML_LOG_LEVEL_ERROR) return;
    last_error = line;
    while (!last_error.empty() && last_error.back() == '\n') last_error.pop_back();
}

std::runtime_error failure(const std::string &what) {
    return std::runtime_error(last_error.empty() ? what : what + ": " + last_error);
}

/* (context, file, { threads, gpu, imageTokensMax }) */
napi_value open(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    const llama_model *model = llama_get_model(read_context(env, given.at[0]));
    const std::string file = read_text(env, given.at[1]);
    auto projector = std::make_shared<Projector>();
    mtmd_context_params params = mtmd_context_params_default();
    params.use_gpu = read_number(env, given.at[2], "gpu") != 0;
    params.n_threads = static_cast<int>(read_number(env, given.at[2], "threads"));
    params.image_max_tokens = static_cast<int>(read_number(env, given.at[2], "imageTokensMax"));
    if (params.image_max_tokens <= 0) params.image_max_tokens = -1;
    params.warmup = false;
    params.print_timings = false;
    params.cb_eval = on_node;
    params.cb_eval_user_data = projector.get();
    const auto run = [=] {
        last_error.clear();
        projector->context = mtmd_init_from_file(file.c_str(), model, params);
        if (projector->context == nullptr) throw failure("it cannot be loaded");
        projector->embedding_size = static_cast<size_t>(llama_model_n_embd_inp(model));
    };
    return in_background(env, run, [=](napi_env env) {
        const mtmd_context *opened = projector->context;
        napi_value result = object(env);
        set(env, result, "handle", handle(env, projector));
        set(env, result, "images", boolean(env, mtmd_support_vision(opened)));
        set(env, result, "audio", boolean(env, mtmd_support_audio(opened)));
        set(env, result, "sampleRate", number(env, mtmd_get_audio_sample_rate(opened)));
        return result;
    });
}

/* (projector) frees its memory. No call of it may be running. */
napi_value close(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    const auto projector = read_handle<Projector>(env, given.at[0]);
    if (projector == nullptr || projector->context == nullptr) return nullptr;
    mtmd_free(projector->context);
    projector->context = nullptr;
    return nullptr;
}

/* (file) without a text model */
napi_value inspect(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    const std::string file = read_text(env, given.at[0]);
    auto bytes = std::make_shared<double>(0);
    auto caps = std::make_shared<mtmd_caps>();
    const auto run = [=] {
        last_error.clear();
        *caps = mtmd_get_cap_from_file(file.c_str());
        if (!caps->inp_vision && !caps->inp_audio) throw failure("it is no projector that can be read");
        mtmd_context_params params = mtmd_context_params_default();
        params.use_gpu = false;
        params.warmup = true;
        for (const auto &[device, used] : mtmd_get_memory_usage(file.c_str(), params)) *bytes += static_cast<double>(used);
    };
    return in_background(env, run, [=](napi_env env) {
        napi_value result = object(env);
        set(env, result, "images", boolean(env, caps->inp_vision));
        set(env, result, "audio", boolean(env, caps->inp_audio));
        set(env, result, "bytes", number(env, *bytes));
        return result;
    });
}

/* --------------------------------------------------------------------------------------------------------------- chunks */

struct Chunks {
    mtmd_input_chunks *list = mtmd_input_chunks_init();
    ~Chunks() { mtmd_input_chunks_free(list); }
};

struct Bitmap {
    mtmd_bitmap *made = nullptr;
    ~Bitmap() {
        if (made != nullptr) mtmd_bitmap_free(made);
    }
};

/* Reads `{ width, height, rgb? }` or `{ samples, pcm? }`; without data it can be laid out, but not encoded. Null: the data are too short. */
mtmd_bitmap *read_medium(napi_env env, napi_value medium) {
    napi_value array = nullptr;
    size_t length = 0;
    void *data = nullptr;
    const auto samples = static_cast<size_t>(read_number(env, medium, "samples"));
    const bool has_data = read_property(env, medium, samples > 0 ? "pcm" : "rgb", &array) &&
                          napi_get_typedarray_info(env, array, nullptr, &length, &data, nullptr, nullptr) == 0;
    if (samples > 0) {
        if (has_data && length != samples) return nullptr;
        return mtmd_bitmap_init_from_audio(samples, static_cast<const float *>(data));
    }
    const auto width = static_cast<uint32_t>(read_number(env, medium, "width"));
    const auto height = static_cast<uint32_t>(read_number(env, medium, "height"));
    if (width == 0 || height == 0 || (has_data && length != static_cast<size_t>(width) * height * 3)) return nullptr;
    return mtmd_bitmap_init(width, height, static_cast<const unsigned char *>(data));
}

napi_value describe_chunk(napi_env env, const mtmd_context *context, const mtmd_input_chunk *chunk) {
    napi_value described = object(env);
    if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_TEXT) {
        size_t count = 0;
        const llama_token *tokens = mtmd_input_chunk_get_tokens_text(chunk, &count);
        set(env, described, "tokens", numbers(env, napi_uint32_array, tokens, count));
        return described;
    }
    set(env, described, "cells", number(env, static_cast<double>(mtmd_input_chunk_get_n_tokens(chunk))));
    set(env, described, "positions", number(env, mtmd_input_chunk_get_n_pos(chunk)));
    set(env, described, "isWhole", boolean(env, mtmd_decode_use_non_causal(context, chunk)));
    return described;
}

/* (projector, medium) */
napi_value lay_out(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    auto projector = read_projector(env, given.at[0]);
    auto bitmap = std::make_shared<Bitmap>();
    bitmap->made = read_medium(env, given.at[1]);
    if (bitmap->made == nullptr) {
        napi_throw_error(env, nullptr, "its data have another length than its size says");
        return nullptr;
    }
    auto chunks = std::make_shared<Chunks>();
    const auto run = [=] {
        last_error.clear();
        const mtmd_input_part part = {nullptr, bitmap->made};
        const mtmd_input_part *parts[] = {&part};
        if (mtmd_tokenize_from_parts(projector->context, chunks->list, parts, 1, false) != 0) throw failure("it cannot be prepared");
    };
    return in_background(env, run, [=](napi_env env) {
        const size_t count = mtmd_input_chunks_size(chunks->list);
        napi_value list = nullptr, result = object(env);
        napi_create_array_with_length(env, count, &list);
        for (size_t at = 0; at < count; at++) {
            const mtmd_input_chunk *chunk = mtmd_input_chunks_get(chunks->list, at);
            napi_set_element(env, list, static_cast<uint32_t>(at), describe_chunk(env, projector->context, chunk));
        }
        set(env, result, "handle", handle(env, chunks));
        set(env, result, "chunks", list);
        return result;
    });
}

/* (chunks) frees their memory before JavaScript forgets them. Running work keeps them until its end. */
napi_value release(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    void *owner = nullptr;
    napi_get_value_external(env, given.at[0], &owner);
    if (owner != nullptr) static_cast<std::shared_ptr<Chunks> *>(owner)->reset();
    return nullptr;
}

/* --------------------------------------------------------------------------------------------------------------- encode */

/* (projector, chunks with data, index): computes only what `grant` allows. */
napi_value encode(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    auto projector = read_projector(env, given.at[0]);
    auto chunks = read_handle<Chunks>(env, given.at[1]);
    const auto index = static_cast<size_t>(read_number(env, given.at[2]));
    auto values = std::make_shared<std::vector<float>>();
    projector->parts.expect();
    const auto run = [=] {
        struct End {
            Parts &parts;
            ~End() { parts.end(); }
        } end{projector->parts};
        last_error.clear();
        projector->parts.begin();
        const mtmd_input_chunk *chunk = mtmd_input_chunks_get(chunks->list, index);
        const bool is_done = !projector->parts.was_aborted() && mtmd_encode_chunk(projector->context, chunk) == 0;
        if (projector->parts.was_aborted()) throw std::runtime_error("aborted");
        if (!is_done) throw failure("it cannot be encoded");
        const float *output = mtmd_get_output_embd(projector->context);
        values->assign(output, output + projector->embedding_size * mtmd_input_chunk_get_n_tokens(chunk));
    };
    return in_background(env, run, [=](napi_env env) { return numbers(env, napi_float32_array, values->data(), values->size()); });
}

/* (projector, ms): lets the encode compute one part of about this time; resolves to whether it has ended. */
napi_value grant(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    auto projector = read_projector(env, given.at[0]);
    const double ms = read_number(env, given.at[1]);
    auto has_ended = std::make_shared<bool>(false);
    const auto run = [=] { *has_ended = projector->parts.grant(ms); };
    return in_background(env, run, [=](napi_env env) { return boolean(env, *has_ended); });
}

/* (projector): ends the running encode at its next part. */
napi_value abort_encode(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    const auto projector = read_handle<Projector>(env, given.at[0]);
    if (projector != nullptr) projector->parts.abort();
    return nullptr;
}

/* --------------------------------------------------------------------------------------------------------------- decode */

/* The positions of `count` embeddings from `from` on, as llama_batch has them: with M-RoPE, four for each. */
std::vector<llama_pos> list_positions(const mtmd_context *context, const mtmd_input_chunk *chunk, llama_pos first, int from, int count) {
    const bool is_mrope = mtmd_decode_use_mrope(context);
    const bool is_image = mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_IMAGE;
    std::vector<llama_pos> positions(static_cast<size_t>(count) * (is_mrope ? 4 : 1));
    for (int at = 0; at < count; at++) {
        const llama_pos next = first + from + at;
        if (!is_mrope) {
            positions[at] = next;
            continue;
        }
        const auto along = static_cast<uint32_t>(next);
        const mtmd_decoder_pos position =
            is_image ? mtmd_image_tokens_get_decoder_pos(mtmd_input_chunk_get_tokens_image(chunk), first, from + at)
                     : mtmd_decoder_pos{along, along, along, along};
        positions[at] = static_cast<llama_pos>(position.t);
        positions[at + count] = static_cast<llama_pos>(position.y);
        positions[at + 2 * count] = static_cast<llama_pos>(position.x);
        positions[at + 3 * count] = static_cast<llama_pos>(position.z);
    }
    return positions;
}

/* Attention in both directions, while it exists. */
struct NonCausal {
    llama_context *context;
    const bool is_on;
    NonCausal(llama_context *context, bool is_on) : context(context), is_on(is_on) {
        if (is_on) llama_set_causal_attn(context, false);
    }
    ~NonCausal() {
        if (is_on) llama_set_causal_attn(context, true);
    }
};

/* (context, projector, chunks, index, embeddings, from, count, first position of the chunk, sequence): evaluates a batch of a chunk. */
napi_value decode(napi_env env, napi_callback_info info) {
    const Arguments given(env, info);
    llama_context *context = read_context(env, given.at[0]);
    auto projector = read_projector(env, given.at[1]);
    auto chunks = read_handle<Chunks>(env, given.at[2]);
    const mtmd_input_chunk *chunk = mtmd_input_chunks_get(chunks->list, static_cast<size_t>(read_number(env, given.at[3])));
    void *data = nullptr;
    size_t length = 0;
    napi_get_typedarray_info(env, given.at[4], nullptr, &length, &data, nullptr, nullptr);
    const int from = static_cast<int>(read_number(env, given.at[5]));
    const int count = static_cast<int>(read_number(env, given.at[6]));
    const auto first = static_cast<llama_pos>(read_number(env, given.at[7]));
    const auto sequence = static_cast<llama_seq_id>(read_number(env, given.at[8]));
    const auto cells = static_cast<int>(mtmd_input_chunk_get_n_tokens(chunk));
    const size_t size = projector->embedding_size;
    if (from < 0 || count < 1 || from + count > cells || length != size * static_cast<size_t>(cells)) {
        napi_throw_error(env, nullptr, "the embeddings are of another chunk");
        return nullptr;
    }
    const float *begin = static_cast<const float *>(data) + static_cast<size_t>(from) * size;
    auto embeddings = std::make_shared<std::vector<float>>(begin, begin + static_cast<size_t>(count) * size);
    const auto run = [=] {
        std::vector<llama_pos> positions = list_positions(projector->context, chunk, first, from, count);
        std::vector<int32_t> counts(count, 1);
        llama_seq_id id = sequence;
        std::vector<llama_seq_id *> ids(count, &id);
        std::vector<int8_t> outputs(count, 0);
        llama_batch batch = {count, nullptr, embeddings->data(), positions.data(), counts.data(), ids.data(), outputs.data()};
        const NonCausal attention(context, mtmd_decode_use_non_causal(projector->context, chunk));
        const int status = llama_decode(context, batch);
        llama_synchronize(context);
        if (status != 0) throw std::runtime_error("llama_decode returned " + std::to_string(status));
    };
    // The chunks, which own the one that is evaluated, are kept until the end.
    return in_background(env, run, [chunks](napi_env env) { return boolean(env, true); });
}

} // namespace

extern "C" EXPORTED napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    mtmd_log_set(on_log, nullptr);
    export_function(env, exports, "open", open);
    export_function(env, exports, "close", close);
    export_function(env, exports, "inspect", inspect);
    export_function(env, exports, "layOut", lay_out);
    export_function(env, exports, "release", release);
    export_function(env, exports, "encode", encode);
    export_function(env, exports, "grant", grant);
    export_function(env, exports, "abortEncode", abort_encode);
    return export_function(env, exports, "decode", decode);
}

#ifndef HY_TOOLS_SESSION_H
#define HY_TOOLS_SESSION_H

#include "libhalyard/preprocess/input.h"
#include "libhalyard/session/network.h"
#include "tools/device_choice.h"
#include "tools/run_mode.h"

/*
 * A `.tflite` file on its way from disk to results: opened (read and lowered), compiled, its
 * buffers filled, run any number of times. One thread.
 */
struct hy_session;

/* An input or output of the model, with a buffer of exactly its bytes. */
struct hy_session_tensor {
    const struct hy_graph_tensor *tensor;
    void *bytes;
    size_t length;
};

/* `choice` must outlive the session. Errors name the path. */
HY_MUST_CHECK enum hy_code hy_session_open(const char *path, const struct hy_device_choice *choice,
                                           struct hy_session **out, struct hy_error *err);
void hy_session_close(struct hy_session *session); /* takes NULL */

uint32_t hy_session_input_count(const struct hy_session *session);
uint32_t hy_session_output_count(const struct hy_session *session);
const struct hy_session_tensor *hy_session_input(const struct hy_session *session, uint32_t index);
const struct hy_session_tensor *hy_session_output(const struct hy_session *session, uint32_t index);

/* Reads input `index` from a file; `note` says what was done to it on the way, may be NULL. */
HY_MUST_CHECK enum hy_code hy_session_load_input(struct hy_session *session, uint32_t index,
                                                 const char *path, struct hy_input_note *note,
                                                 struct hy_error *err);

/* Fills inputs from `first` on with noise, the same at every call: floats from 0 to 1, else any
 * bytes. */
void hy_session_fill_inputs(struct hy_session *session, uint32_t first);

/*
 * Compilations from now on are kept in this folder, which outlives the session, or found there;
 * NULL: in none. Entries of another number are other entries, also of the same model.
 */
void hy_session_use_cache(struct hy_session *session, const char *folder, uint64_t number);

/* Compiles; a compilation that there was before goes away. */
HY_MUST_CHECK enum hy_code hy_session_compile(struct hy_session *session, struct hy_error *err);

/* The same with each operation in a step of its own: see halyard_compilation_split_operations. */
HY_MUST_CHECK enum hy_code hy_session_compile_split(struct hy_session *session,
                                                    struct hy_error *err);
void hy_session_drop_compilation(struct hy_session *session); /* if there is one */
ANeuralNetworksCompilation *hy_session_compilation(const struct hy_session *session);
const struct hy_lowered_model *hy_session_model(const struct hy_session *session);
const struct hy_graph *hy_session_graph(const struct hy_session *session);

/* Runs the compiled model once, from the input buffers to the output buffers. */
HY_MUST_CHECK enum hy_code hy_session_run(struct hy_session *session, enum hy_run_mode mode,
                                          struct hy_error *err);

#endif

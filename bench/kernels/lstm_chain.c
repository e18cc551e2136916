#include "bench/kernels/lstm_chain.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/api_result.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

size_t hy_lstm_state_bytes(const struct hy_lstm_step *step)
{
    return (size_t)step->batches * step->units * sizeof(float);
}

/* All zero. */
static enum hy_code make_shared(size_t bytes, ANeuralNetworksMemory **out, struct hy_error *err)
{
    const int fd = memfd_create("state", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
        if (fd >= 0)
            close(fd);
        return hy_fail(err, HY_FAILED, "no shared memory of %zu bytes", bytes);
    }
    const int result =
        ANeuralNetworksMemory_createFromFd(bytes, PROT_READ | PROT_WRITE, fd, 0, out);
    close(fd);
    return hy_api_result(result, "Memory_createFromFd", err);
}

/* Makes memory for a state, for its roles as input and as output. */
static enum hy_code make_for_roles(const struct hy_lstm_chain *chain, uint32_t state,
                                   ANeuralNetworksMemory **out, struct hy_error *err)
{
    const ANeuralNetworksCompilation *compilation = chain->step->compilation;
    ANeuralNetworksMemoryDesc *desc = NULL;
    int result = ANeuralNetworksMemoryDesc_create(&desc);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksMemoryDesc_addInputRole(desc, compilation,
                                                        HY_LSTM_STEP_STATE_IN + state, 1);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation,
                                                         HY_LSTM_STEP_STATE_OUT + state, 1);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksMemoryDesc_finish(desc);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksMemory_createFromDesc(desc, out);
    ANeuralNetworksMemoryDesc_free(desc);
    return hy_api_result(result, "memory for a state", err);
}

/* ---- A chain --------------------------------------------------------------------------------- */

static int set_states(struct hy_lstm_chain *chain, uint32_t from,
                      ANeuralNetworksExecution *execution)
{
    const bool is_shared = chain->zeros == NULL;
    const size_t bytes = is_shared ? hy_lstm_state_bytes(chain->step) : 0;
    int result = ANEURALNETWORKS_NO_ERROR;
    for (uint32_t i = 0; i < HY_LSTM_CHAIN_STATES && result == ANEURALNETWORKS_NO_ERROR; i++) {
        result = ANeuralNetworksExecution_setInputFromMemory(
            execution, HY_LSTM_STEP_STATE_IN + (int32_t)i, NULL, chain->states[from][i], 0, bytes);
        if (result == ANEURALNETWORKS_NO_ERROR)
            result = ANeuralNetworksExecution_setOutputFromMemory(
                execution, HY_LSTM_STEP_STATE_OUT + (int32_t)i, NULL, chain->states[!from][i], 0,
                bytes);
    }
    return result;
}

static enum hy_code make_execution(struct hy_lstm_chain *chain, uint32_t from, struct hy_error *err)
{
    const struct hy_lstm_step *step = chain->step;
    ANeuralNetworksExecution **execution = &chain->executions[from];
    int result = ANeuralNetworksExecution_create(step->compilation, execution);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_setReusable(*execution, true);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result =
            ANeuralNetworksExecution_setInput(*execution, HY_LSTM_STEP_INPUT, NULL, chain->input,
                                              (size_t)step->batches * step->inputs * sizeof(float));
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_setOutput(*execution, HY_LSTM_STEP_SCRATCH, NULL,
                                                    chain->scratch, 4 * hy_lstm_state_bytes(step));
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_setOutput(*execution, HY_LSTM_STEP_OUTPUT, NULL,
                                                    chain->output, hy_lstm_state_bytes(step));
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = set_states(chain, from, *execution);
    return hy_api_result(result, "execution", err);
}

enum hy_code hy_lstm_chain_init(const struct hy_lstm_step *step, bool on_device,
                                struct hy_lstm_chain *chain, struct hy_error *err)
{
    const size_t bytes = hy_lstm_state_bytes(step);
    *chain = (struct hy_lstm_chain){.step = step};
    chain->input = calloc((size_t)step->batches * step->inputs, sizeof *chain->input);
    chain->scratch = malloc(4 * bytes);
    chain->output = malloc(bytes);
    if (!chain->input || !chain->scratch || !chain->output)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a chain of %u units", step->units);
    for (uint32_t i = 0; i < step->batches * step->inputs; i++)
        chain->input[i] = (float)(i % 17) / 8 - 1;

    enum hy_code code = on_device ? make_shared(bytes, &chain->zeros, err) : HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < HY_LSTM_CHAIN_SETS * HY_LSTM_CHAIN_STATES; i++) {
        ANeuralNetworksMemory **memory =
            &chain->states[i / HY_LSTM_CHAIN_STATES][i % HY_LSTM_CHAIN_STATES];
        code = on_device ? make_for_roles(chain, i % HY_LSTM_CHAIN_STATES, memory, err)
                         : make_shared(bytes, memory, err);
    }
    for (uint32_t from = 0; code == HY_OK && from < HY_LSTM_CHAIN_SETS; from++)
        code = make_execution(chain, from, err);
    return code;
}

void hy_lstm_chain_finish(struct hy_lstm_chain *chain)
{
    for (uint32_t i = 0; i < HY_LSTM_CHAIN_SETS; i++)
        ANeuralNetworksExecution_free(chain->executions[i]);
    for (uint32_t i = 0; i < HY_LSTM_CHAIN_SETS * HY_LSTM_CHAIN_STATES; i++)
        ANeuralNetworksMemory_free(
            chain->states[i / HY_LSTM_CHAIN_STATES][i % HY_LSTM_CHAIN_STATES]);
    ANeuralNetworksMemory_free(chain->zeros);
    free(chain->input);
    free(chain->scratch);
    free(chain->output);
}

enum hy_code hy_lstm_chain_run(struct hy_lstm_chain *chain, uint32_t steps, struct hy_error *err)
{
    int result = ANEURALNETWORKS_NO_ERROR;
    for (uint32_t i = 0; i < steps && result == ANEURALNETWORKS_NO_ERROR; i++)
        result = ANeuralNetworksExecution_compute(chain->executions[i % HY_LSTM_CHAIN_SETS]);
    return hy_api_result(result, "Execution_compute", err);
}

enum hy_code hy_lstm_chain_start(struct hy_lstm_chain *chain, struct hy_error *err)
{
    int result = ANEURALNETWORKS_NO_ERROR;
    for (uint32_t i = 0;
         chain->zeros && i < HY_LSTM_CHAIN_STATES && result == ANEURALNETWORKS_NO_ERROR; i++)
        result = ANeuralNetworksMemory_copy(chain->zeros, chain->states[0][i]);
    return hy_api_result(result, "Memory_copy", err);
}

enum hy_code hy_lstm_step_copied(const struct hy_lstm_step *step, uint64_t *copied,
                                 struct hy_error *err)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    const int result = halyard_compilation_get_plan(step->compilation, &plan);
    *copied = plan.copied_bytes;
    return hy_api_result(result, "plan", err);
}

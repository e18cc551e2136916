#include "argument_calls.h"

static const char *const argument_call_names[ARGUMENT_CALLS] = {
    [INPUT] = "ANeuralNetworksExecution_setInput",
    [OUTPUT] = "ANeuralNetworksExecution_setOutput",
    [INPUT_MEMORY] = "ANeuralNetworksExecution_setInputFromMemory",
    [OUTPUT_MEMORY] = "ANeuralNetworksExecution_setOutputFromMemory",
};

static int set_argument(enum argument_call argument_call, ANeuralNetworksExecution *execution,
                        const struct argument *a)
{
    switch (argument_call) {
    case INPUT:
        return ANeuralNetworksExecution_setInput(execution, a->index, a->type, a->buffer,
                                                 a->length);
    case OUTPUT:
        return ANeuralNetworksExecution_setOutput(execution, a->index, a->type, a->buffer,
                                                  a->length);
    case INPUT_MEMORY:
        return ANeuralNetworksExecution_setInputFromMemory(execution, a->index, a->type, a->memory,
                                                           a->offset, a->length);
    case OUTPUT_MEMORY:
    case ARGUMENT_CALLS:
        break;
    }
    return ANeuralNetworksExecution_setOutputFromMemory(execution, a->index, a->type, a->memory,
                                                        a->offset, a->length);
}

void expect_set(const char *file, int line, enum argument_call argument_call,
                ANeuralNetworksExecution *execution, const struct argument *argument, int code,
                const char *expected)
{
    contract_before(code);
    contract_after(file, line, argument_call_names[argument_call], code,
                   set_argument(argument_call, execution, argument));
    if (code == ANEURALNETWORKS_NO_ERROR || strstr(halyard_last_error(), expected))
        hy_test_pass(file, line);
    else
        hy_test_fail(file, line, "the words are \"%s\", expected them to contain \"%s\"",
                     halyard_last_error(), expected);
}

ANeuralNetworksMemory *file_memory(int protect, size_t size)
{
    ANeuralNetworksMemory *memory = NULL;
    int fd = shared_file(size);

    EXPECT_OK(ANeuralNetworksMemory_createFromFd(size, protect, fd, 0, &memory));
    close(fd);
    return memory;
}

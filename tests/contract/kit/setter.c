#include "setter.h"

static const char *const setter_names[SETTERS] = {
    [INPUT] = "ANeuralNetworksExecution_setInput",
    [OUTPUT] = "ANeuralNetworksExecution_setOutput",
    [INPUT_MEMORY] = "ANeuralNetworksExecution_setInputFromMemory",
    [OUTPUT_MEMORY] = "ANeuralNetworksExecution_setOutputFromMemory",
};

static int set_argument(enum setter setter, ANeuralNetworksExecution *execution,
                        const struct argument *a)
{
    switch (setter) {
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
    case SETTERS:
        break;
    }
    return ANeuralNetworksExecution_setOutputFromMemory(execution, a->index, a->type, a->memory,
                                                        a->offset, a->length);
}

void expect_set(const char *file, int line, enum setter setter, ANeuralNetworksExecution *execution,
                const struct argument *argument, int code, const char *words)
{
    contract_before(code);
    contract_after(file, line, setter_names[setter], code,
                   set_argument(setter, execution, argument));
    if (code == ANEURALNETWORKS_NO_ERROR || strstr(halyard_last_error(), words))
        hy_test_pass(file, line);
    else
        hy_test_fail(file, line, "the words are \"%s\", expected them to contain \"%s\"",
                     halyard_last_error(), words);
}

ANeuralNetworksMemory *file_memory(int protect, size_t size)
{
    ANeuralNetworksMemory *memory = NULL;
    int fd = shared_file(size);

    EXPECT_OK(ANeuralNetworksMemory_createFromFd(size, protect, fd, 0, &memory));
    close(fd);
    return memory;
}

#include "app.h"

#include "tests/unit/plugins/service/client/isolated.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static ANeuralNetworksModel *relu(void)
{
    const uint32_t dims[] = {ASKING_NUMBERS}, in = 0, out = 1;
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    ANeuralNetworksModel *model = NULL;

    if (ANeuralNetworksModel_create(&model) != ANEURALNETWORKS_NO_ERROR)
        return NULL;
    int code = ANeuralNetworksModel_addOperand(model, &floats);
    code |= ANeuralNetworksModel_addOperand(model, &floats);
    code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &in, 1, &out);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out);
    code |= ANeuralNetworksModel_finish(model);
    if (code == ANEURALNETWORKS_NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

bool app_open(struct app *app, const char *dir)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = "asking";
    const ANeuralNetworksDevice *device = isolated_device("asker");

    *app = (struct app){.model = relu()};
    int code =
        ANeuralNetworksCompilation_createForDevices(app->model, &device, 1, &app->compilation);
    if (code == ANEURALNETWORKS_NO_ERROR && dir)
        code = ANeuralNetworksCompilation_setCaching(app->compilation, dir, token);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksCompilation_finish(app->compilation);
    if (code != ANEURALNETWORKS_NO_ERROR)
        app_close(app);
    return code == ANEURALNETWORKS_NO_ERROR;
}

void app_close(struct app *app)
{
    ANeuralNetworksCompilation_free(app->compilation);
    ANeuralNetworksModel_free(app->model);
    *app = (struct app){0};
}

struct reply app_ask(const struct app *app, enum asking_request request, float first, float second)
{
    const float in[ASKING_NUMBERS] = {(float)request, first, second};
    float out[ASKING_NUMBERS] = {-1};
    ANeuralNetworksExecution *execution = NULL;
    struct reply reply = {.status = -1};

    int code = ANeuralNetworksExecution_create(app->compilation, &execution);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_setInput(execution, 0, NULL, in, sizeof in);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    if (code == ANEURALNETWORKS_NO_ERROR) {
        reply.status = (int)out[0];
        memcpy(reply.numbers, out + 1, sizeof reply.numbers);
    }
    return reply;
}

/* ---- Another process ------------------------------------------------------------------------- */

#define ROLE "ASKING_PEER_FOLDER"

/* Tells the process of its device, then does as it is told. */
static void play(const char *dir)
{
    struct app app;
    char command;
    const bool is_open = app_open(&app, dir);
    const pid_t service = is_open ? isolated_pid("asker") : -1;

    if (write(STDOUT_FILENO, &service, sizeof service) != sizeof service || !is_open)
        _exit(1);
    while (read(STDIN_FILENO, &command, 1) == 1) {
        const struct reply reply =
            command == 'L' ? app_ask(&app, ASK_LOCK, 1, -1) : app_ask(&app, ASK_UNLOCK, 0, 0);
        if (write(STDOUT_FILENO, &reply.status, sizeof reply.status) != sizeof reply.status)
            break;
    }
    _exit(0);
}

/* The same program, before it gets to its tests. */
__attribute__((constructor)) static void be_a_peer(void)
{
    const char *dir = getenv(ROLE);
    if (dir)
        play(dir);
}

bool peer_start(struct peer *peer, const char *dir)
{
    int commands[2], replies[2];

    if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(replies, O_CLOEXEC) != 0)
        return false;
    *peer = (struct peer){.pid = fork(), .commands = commands[1], .replies = replies[0]};
    if (peer->pid == 0) {
        dup2(commands[0], STDIN_FILENO);
        dup2(replies[1], STDOUT_FILENO);
        setenv(ROLE, dir, 1);
        execl("/proc/self/exe", "peer", NULL);
        _exit(9);
    }
    close(commands[0]);
    close(replies[1]);
    return peer->pid > 0 &&
           read(peer->replies, &peer->service, sizeof peer->service) == sizeof peer->service &&
           peer->service > 0;
}

bool peer_send(const struct peer *peer, char command)
{
    return write(peer->commands, &command, 1) == 1;
}

int peer_reply(const struct peer *peer)
{
    int status = -1;
    return read(peer->replies, &status, sizeof status) == sizeof status ? status : -1;
}

void peer_end(struct peer *peer)
{
    close(peer->commands);
    close(peer->replies);
    if (peer->pid > 0) {
        kill(peer->pid, SIGKILL);
        waitpid(peer->pid, NULL, 0);
    }
    *peer = (struct peer){0};
}

#ifndef HY_TESTS_SCENARIOS_SERVICE_CACHE_APP_H
#define HY_TESTS_SCENARIOS_SERVICE_CACHE_APP_H

#include "asking.h"

#include <android/NeuralNetworks.h>
#include <stdbool.h>
#include <sys/types.h>

/* An app for requests to the asking driver. Records no test failures. */
struct app {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
};

struct reply {
    int status; /* HY_STATUS_*; -1: the execution failed */
    float numbers[ASKING_NUMBERS - 1];
};

/* Compiles with the cache in `folder`, or without a cache if NULL. */
bool app_open(struct app *app, const char *dir);
void app_close(struct app *app);

struct reply app_ask(const struct app *app, enum asking_request request, float first, float second);

/* Another process of this program with its own app. Commands are letters:
 *   L  acquires the lock without a deadline and replies with the status
 *   U  releases the lock and replies 0 */
struct peer {
    pid_t pid;
    int commands, replies;
    pid_t service; /* process of its device */
};

bool peer_start(struct peer *peer, const char *dir);
bool peer_send(const struct peer *peer, char command);
int peer_reply(const struct peer *peer); /* -1: the process ended */
void peer_end(struct peer *peer);        /* kills the process */

#endif

#ifndef HY_TESTS_SERVICE_CACHE_APP_H
#define HY_TESTS_SERVICE_CACHE_APP_H

#include "asking.h"

#include <android/NeuralNetworks.h>
#include <stdbool.h>
#include <sys/types.h>

/* An app that tells the asking driver what to ask for; nothing here records failures. */
struct app {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
};

struct answer {
    int status; /* HY_STATUS_*; -1: the execution failed */
    float numbers[ASKING_NUMBERS - 1];
};

/* Compiles with the cache in `folder`; NULL: without. */
bool app_open(struct app *app, const char *folder);
void app_close(struct app *app);

struct answer app_ask(const struct app *app, enum asking_wish wish, float first, float second);

/* Another process of this program, with an app of its own. Commands are letters:
 *   L  takes the lock, without a deadline, and answers by the status
 *   U  gives it back, answers 0 */
struct peer {
    pid_t pid;
    int commands, answers;
    pid_t service; /* of its device */
};

bool peer_start(struct peer *peer, const char *folder);
bool peer_tell(const struct peer *peer, char command);
int peer_answer(const struct peer *peer); /* -1: it is gone */
void peer_end(struct peer *peer);         /* kills it */

#endif

#ifndef HY_SERVICE_SERVER_THREADS_H
#define HY_SERVICE_SERVER_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that takes no signals but those of its own faults. False: there are no more. */
bool hy_server_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif

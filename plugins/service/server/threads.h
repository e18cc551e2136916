#ifndef HY_SERVICE_SERVER_THREADS_H
#define HY_SERVICE_SERVER_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread with all signals blocked except synchronous faults. Returns false when no thread
 * can be started. */
bool hy_server_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif

#ifndef HY_TESTS_SHARED_SERVICE_H
#define HY_TESTS_SHARED_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

/* Longer than any operation of the tests. */
enum { TIMEOUT_MS = 120000 };

/* Resources of a process, as counted by the kernel. */
struct holdings {
    unsigned fds, threads, shared_maps;
};

/* A real halyard-driverd --shared in a test directory accessible to all users. */
struct shared_service {
    char dir[48];
    char socket[80], log[80], state[80], notices[80];
    int notified; /* socket for readiness notifications */
    pid_t pid;    /* of the listener; 0: not running */
};

bool shared_service_init(struct shared_service *service);
void shared_service_finish(struct shared_service *service); /* kills a running service */

/* Starts the service at `socket` with additional arguments behind --shared, NULL-terminated.
 * Returns true when the service is ready. Returns false with the exit status if the service ended,
 * or on timeout. */
bool shared_service_start(struct shared_service *service, const char *const *arguments,
                          int *status);

/* Like shared_service_start, with the socket `listening` passed as by a service manager. Call
 * before the process has other threads. */
bool shared_service_activate(struct shared_service *service, const char *const *arguments,
                             int listening, int *status);

/* Sends the signal. Returns the exit status, the negative number of a fatal signal, or -1000. */
int shared_service_end(struct shared_service *service, int signal);

/* The serving process, the only child of the listener. Returns 0 if none. */
pid_t shared_service_host(const struct shared_service *service);

/* Number of log lines with the text; shared_service_logs waits for at least `times` lines. */
unsigned shared_service_count(const struct shared_service *service, const char *text);
bool shared_service_logs(const struct shared_service *service, const char *text, unsigned times);

/* Returns false if the process ended. */
bool holdings_of(pid_t process, struct holdings *holdings);

#endif

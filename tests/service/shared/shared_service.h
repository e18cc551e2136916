#ifndef HY_TESTS_SHARED_SERVICE_H
#define HY_TESTS_SHARED_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

/* Longer than anything here takes. */
enum { PATIENCE_MS = 120000 };

/* What one process has, as the kernel counts it. */
struct holdings {
    unsigned fds, threads, shared_maps;
};

/* A real halyard-driverd --shared, in a folder of the test's that any user may enter. */
struct shared_service {
    char folder[48];
    char socket[80], log[80], state[80], notices[80];
    int notified; /* where it says that it is ready */
    pid_t pid;    /* of the doorman; 0: it is not running */
};

bool shared_service_init(struct shared_service *service);
void shared_service_finish(struct shared_service *service); /* kills it if it runs */

/* Starts it with these arguments behind --shared, NULL-terminated, at `socket`; true when it says
 * that it is ready. False: it has ended, with this status; or it does not get ready. */
bool shared_service_start(struct shared_service *service, const char *const *arguments,
                          int *status);

/* The same, with the socket `listening` handed over as a service manager does it. Before this
 * process has other threads. */
bool shared_service_activate(struct shared_service *service, const char *const *arguments,
                             int listening, int *status);

/* Sends the signal; gives the exit status, minus the signal that ended it, or -1000. */
int shared_service_end(struct shared_service *service, int signal);

/* The process that serves: the one child of the doorman. 0: there is none. */
pid_t shared_service_host(const struct shared_service *service);

/* How often the log has the text; waiting until it has it so often. */
unsigned shared_service_count(const struct shared_service *service, const char *text);
bool shared_service_says(const struct shared_service *service, const char *text, unsigned times);

/* False: it has gone. */
bool holdings_of(pid_t process, struct holdings *holdings);

#endif

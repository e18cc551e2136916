#ifndef HY_SERVICE_SERVER_CALLER_H
#define HY_SERVICE_SERVER_CALLER_H

/*
 * Tracks the client for which a thread works (caller identity). A driver's calls to its host are
 * made on behalf of the thread's client. A thread that serves a single client sets the identity at
 * its start; a task of hy_host.later runs with the identity of the thread that posted the task.
 */
struct hy_server;

/* Sets the client for which the calling thread works; NULL: no client. Returns the previous
 * client. */
struct hy_server *hy_server_act_for(struct hy_server *server);

/* Returns the client for which the calling thread works. NULL: no client, as on the driver's own
 * threads. In a process with a single client, threads without an identity get the single client. */
struct hy_server *hy_server_caller(void);

/* Declares `server` the only client of this process. Call before other threads start. */
void hy_server_act_for_one(struct hy_server *server);
struct hy_server *hy_server_only_one(void); /* NULL: the process may have several clients */

#endif

#ifndef HY_TESTS_SESSION_LAUNCH_H
#define HY_TESTS_SESSION_LAUNCH_H

/*
 * In the place of a process that is started: the client of plugins/service/client/ gets a socket
 * whose other end somebody in this process plays. Whoever links this with --wrap=hy_launch and
 * --wrap=hy_host_process_kill brings the two functions.
 */

/* The other end becomes the program's. */
void session_launched(int control);

/* The client kills its process: the sockets are to be closed. May come again. */
void session_killed(void);

#endif

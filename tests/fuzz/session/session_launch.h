#ifndef HY_TESTS_SESSION_LAUNCH_H
#define HY_TESTS_SESSION_LAUNCH_H

/*
 * Replaces process launches. The client of plugins/service/client/ gets a socket, and the program
 * plays the service at the other end. Link with --wrap=hy_launch and --wrap=hy_host_process_kill.
 * The program implements the two functions below.
 */

/* The program receives ownership of the other end. */
void session_launched(int control);

/* The client kills its process; the program must close the sockets. May be called repeatedly. */
void session_killed(void);

#endif

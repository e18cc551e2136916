#ifndef HY_TESTS_SESSION_SERVER_H
#define HY_TESTS_SESSION_SERVER_H

/*
 * Runs the server of plugins/service/server/ on a thread of this process, with a real driver opened
 * once. The host maps memory and computes on one thread, without cache files.
 */

/* Serves the client at the other end of the socket until the client disconnects. The server takes
 * ownership of the socket. Serves one client at a time. */
void session_server_start(int control);

/* Waits for the end of session_server_start's thread. */
void session_server_join(void);

#endif

#ifndef HY_TESTS_SESSION_SERVER_H
#define HY_TESTS_SESSION_SERVER_H

/*
 * The server of plugins/service/server/ in this process, on a thread of its own, with a real
 * driver that was opened once. Its host maps memory and computes alone; it keeps no files.
 */

/* Serves the client at the other end of the socket, which becomes the server's, until it hangs up.
 * One client at a time. */
void session_server_start(int control);

/* Waits for the end of that. */
void session_server_join(void);

#endif

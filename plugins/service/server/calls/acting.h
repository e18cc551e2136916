#ifndef HY_SERVICE_SERVER_ACTING_H
#define HY_SERVICE_SERVER_ACTING_H

/*
 * Whose turn it is: what a driver asks of its host, it asks for the client in whose call it is. A
 * thread that serves one client says so when it starts; a task of hy_host.later acts for the client
 * for whom it was given.
 */
struct hy_server;

/* From now on this thread acts for the client; NULL: for none. Gives who it was before. */
struct hy_server *hy_server_act_for(struct hy_server *server);

/* NULL: it acts for none, as threads of the driver's own. Where there is but one client, that one.
 */
struct hy_server *hy_server_acting(void);

/* There is but one client in this process. */
void hy_server_act_for_one(struct hy_server *server);
struct hy_server *hy_server_only_one(void); /* NULL: there may be many */

#endif

#ifndef HY_SERVICE_SERVER_OPENING_NOTE_H
#define HY_SERVICE_SERVER_OPENING_NOTE_H

#include "plugins/opening_guard.h"

/* Tells the app of a private process which function of the driver is called while the driver is
 * opened, for the words about a process that does not come back from there. */
extern const struct hy_opening_guard hy_server_opening_note;

#endif

#ifndef HY_SERVICE_SERVER_OPENING_NOTE_H
#define HY_SERVICE_SERVER_OPENING_NOTE_H

#include "plugins/opening_guard.h"

/* Notifies the app of a private process of each driver function called during the opening. If the
 * process crashes or hangs, the app's error text names the function. */
extern const struct hy_opening_guard hy_server_opening_note;

#endif

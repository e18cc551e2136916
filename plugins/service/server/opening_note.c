#include "plugins/service/server/opening_note.h"

#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/parts.h"
#include "plugins/service/wire/messages.h"

static enum hy_code begin(void *context, const char *driver, const char *library,
                          struct hy_error *err)
{
    (void)context, (void)driver, (void)library, (void)err;
    return HY_OK;
}

static void enter(void *context, const char *call)
{
    struct hy_server *client = hy_server_only_one();

    (void)context;
    if (!client)
        return;
    pthread_mutex_lock(&client->control_lock);
    if (client->control.fd >= 0) {
        hy_outgoing_begin(&client->control_frame, HY_WIRE_ENTERS, 0);
        hy_pack_text(&client->control_frame.body, call);
        hy_server_send(client);
    }
    pthread_mutex_unlock(&client->control_lock);
}

static void end(void *context)
{
    (void)context;
}

const struct hy_opening_guard hy_server_opening_note = {.begin = begin, .enter = enter, .end = end};

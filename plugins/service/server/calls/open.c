#include "plugins/service/server/parts.h"
#include "plugins/service/server/watcher.h"
#include "plugins/service/wire/describe.h"
#include "plugins/service/wire/session.h"

#include <string.h>

/* ---- OPEN ------------------------------------------------------------------------------------ */

/* The strings lie in the client's arena, and the client of a private process lives as long as the
 * driver. */
static enum hy_code open_driver(struct hy_server *server, const struct hy_opening *opening,
                                struct hy_error *err)
{
    const struct hy_serve_driver what = {
        .library = opening->library,
        .arguments = opening->arguments,
        .device_files = opening->device_files,
        .device_file_count = opening->device_file_count,
        .manifest_kind = opening->manifest_kind,
        .capabilities = opening->capabilities,
    };

    return hy_server_driver_open(server->driver, &what, err);
}

static const char *name_of(const char *library)
{
    return *library ? library : "halyard-cpu";
}

/* Apps that read the manifest before a change are refused as well. */
#define UPGRADED "; restart an app that was started before an upgrade"

/* Arguments of the built-in driver are not compared: they describe the machine, and the service
 * uses its own. */
static enum hy_code check_driver(const struct hy_serve_driver *own,
                                 const struct hy_opening *opening, struct hy_error *err)
{
    if (strcmp(own->library, opening->library) != 0 || own->manifest_kind != opening->manifest_kind)
        return hy_fail(err, HY_BAD_DATA, "this service hosts %.130s, not %.130s" UPGRADED,
                       name_of(own->library), name_of(opening->library));
    if (*own->library && strcmp(own->arguments, opening->arguments) != 0)
        return hy_fail(err, HY_BAD_DATA,
                       "this service hosts %.90s with arguments %.90s, not %.90s" UPGRADED,
                       own->library, own->arguments, opening->arguments);
    return HY_OK;
}

static void reply(struct hy_server *server, enum hy_code code, const struct hy_error *err)
{
    const struct hy_server_driver *driver = server->driver;
    const struct hy_opened opened = {
        .driver = code == HY_OK ? hy_server_driver_name(driver) : "",
        .sandbox = driver->serve->describe_sandbox(driver->serve->context),
        .abi = code == HY_OK ? hy_server_driver_abi(driver) : 0,
        .device_count = driver->device_count,
    };

    pthread_mutex_lock(&server->control_lock);
    if (code == HY_OK) {
        hy_reply_begin(&server->control_frame, &server->received.header, 0);
        hy_opened_pack(&server->control_frame.body, &opened);
    } else {
        hy_reply_fail(&server->control_frame, &server->received.header, HY_STATUS_GENERAL_FAILURE,
                      err->text);
    }
    hy_server_send(server);
    pthread_mutex_unlock(&server->control_lock);
}

bool hy_server_open(struct hy_server *server)
{
    const struct hy_server_driver *driver = server->driver;
    struct hy_opening opening = {0};
    struct hy_unpack in;
    struct hy_error err;

    hy_incoming_unpack(&server->received, &server->arena, &in, &err);
    hy_unpack_retain(&in);
    hy_opening_unpack(&in, &opening);
    enum hy_code code = hy_unpack_end(&in);
    if (code == HY_OK)
        code = driver->device_count > 0 ? check_driver(&driver->what, &opening, &err)
                                        : open_driver(server, &opening, &err);
    reply(server, code, &err);
    return code == HY_OK;
}

/* ---- DESCRIBE -------------------------------------------------------------------------------- */

static uint32_t members_of(const struct hy_device *table)
{
    return (table->prepare_from_cache ? HY_WIRE_HAS_FROM_CACHE : 0) |
           (table->wait ? HY_WIRE_HAS_WAIT : 0) | (table->execute_fenced ? HY_WIRE_HAS_FENCED : 0) |
           (table->burst_open ? HY_WIRE_HAS_BURST : 0) |
           (table->burst_serve ? HY_WIRE_HAS_BURST_SERVE : 0) |
           (table->reusable_create ? HY_WIRE_HAS_REUSABLE : 0) |
           (table->buffer_create ? HY_WIRE_HAS_BUFFERS : 0);
}

void hy_server_describe(struct hy_server *server)
{
    const struct hy_frame_header *call = &server->received.header;
    const uint64_t index = call->object;

    pthread_mutex_lock(&server->control_lock);
    if (index < server->driver->device_count) {
        const struct hy_server_device *device = &server->driver->devices[index];
        const struct hy_description description = {
            .info = device->info,
            .capabilities = device->capabilities,
            .members = members_of(&device->table),
        };
        hy_reply_begin(&server->control_frame, call, index);
        hy_description_pack(&server->control_frame.body, &description);
    } else {
        hy_reply_fail(&server->control_frame, call, HY_STATUS_INVALID_ARGUMENT,
                      "the device does not exist");
    }
    hy_server_send(server);
    pthread_mutex_unlock(&server->control_lock);
}

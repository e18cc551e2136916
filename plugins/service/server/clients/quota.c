#include "plugins/service/server/clients/quota.h"

#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hy_server_reservation {
    struct hy_server *server; /* held; NULL: the service */
    struct hy_server_quota *quotas;
    uint64_t bytes;
};

static const struct hy_server_driver *driver; /* the driver of this process */

/* ---- Refusals -------------------------------------------------------------------------------- */

static _Thread_local char refusal[HY_ERROR_TEXT_SIZE];

void hy_server_quota_begin(void)
{
    refusal[0] = '\0';
}

void hy_server_quota_explain(int32_t status, struct hy_error *err)
{
    if (!refusal[0] || (status != HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT &&
                        status != HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT))
        return;
    err->text[sizeof err->text - 1] = '\0';
    const size_t length = strnlen(err->text, sizeof err->text / 2);
    if (!strstr(err->text, refusal))
        snprintf(err->text + length, sizeof err->text - length, "%s%s", length > 0 ? ": " : "",
                 refusal);
}

static enum hy_code reserve(struct hy_server_quota *quotas, uint64_t bytes, struct hy_error *err)
{
    struct hy_error own;

    enum hy_code code = hy_server_quota_charge(quotas, HY_SERVER_QUOTA_ALLOCATED, bytes, &own);
    if (code == HY_OK)
        return code;
    if (!hy_server_quota_is_possible(quotas, HY_SERVER_QUOTA_ALLOCATED, bytes))
        code = HY_EXHAUSTED_FOR_GOOD;
    snprintf(refusal, sizeof refusal, "%s", own.text);
    return hy_fail(err, code, "%s", own.text);
}

/* ---- Reservations ---------------------------------------------------------------------------- */

enum hy_code hy_server_reserve(struct hy_server *server, uint64_t bytes,
                               struct hy_server_reservation **ret, struct hy_error *err)
{
    struct hy_server_quota *quotas = server ? &server->quotas : driver->quotas;

    enum hy_code code = reserve(quotas, bytes, err);
    if (code != HY_OK)
        return code;
    struct hy_server_reservation *made = malloc(sizeof *made);
    if (!made) {
        hy_server_quota_release(quotas, HY_SERVER_QUOTA_ALLOCATED, bytes);
        return hy_fail(err, HY_OUT_OF_MEMORY, "a reservation");
    }
    *made = (struct hy_server_reservation){server, quotas, bytes};
    hy_server_hold(server);
    *ret = made;
    return HY_OK;
}

void hy_server_release(struct hy_server_reservation *reservation)
{
    if (!reservation)
        return;
    hy_server_quota_release(reservation->quotas, HY_SERVER_QUOTA_ALLOCATED, reservation->bytes);
    hy_server_put(reservation->server);
    free(reservation);
}

/* ---- Arenas ---------------------------------------------------------------------------------- */

/* An arena block's reservation is the block's size. */
static bool reserve_block(const void *context, size_t bytes, void **ret)
{
    struct hy_error ignored;

    if (reserve((struct hy_server_quota *)context, bytes, &ignored) != HY_OK)
        return false;
    *ret = (void *)(uintptr_t)bytes;
    return true;
}

static void release_block(const void *context, void *reservation)
{
    hy_server_quota_release((struct hy_server_quota *)context, HY_SERVER_QUOTA_ALLOCATED,
                            (uintptr_t)reservation);
}

struct hy_arena hy_server_arena(struct hy_server_quota *quotas)
{
    static const struct hy_arena_quota quota = {reserve_block, release_block};

    return (struct hy_arena){.quota = quotas ? &quota : NULL, .context = quotas};
}

/* ---- The driver's ---------------------------------------------------------------------------- */

static int32_t memory_reserve(void *context, uint64_t bytes, void **reservation)
{
    struct hy_server_reservation *made;
    struct hy_error ignored;

    (void)context;
    if (!reservation)
        return HY_STATUS_INVALID_ARGUMENT;
    switch (hy_server_reserve(hy_server_caller(), bytes, &made, &ignored)) {
    case HY_OK:
        *reservation = made;
        return HY_STATUS_OK;
    case HY_EXHAUSTED_FOR_GOOD:
        return HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    default:
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
}

static void memory_release(void *context, void *reservation)
{
    (void)context;
    hy_server_release(reservation);
}

void hy_server_quota_fill(struct hy_host *face, const struct hy_server_driver *served)
{
    driver = served;
    face->memory_reserve = memory_reserve;
    face->memory_release = memory_release;
}

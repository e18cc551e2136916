/* halyard/session.h: the state of a session between runs. */
#include "libhalyard/session/session.h"

/* A session with delayed compilation makes its states on first use, which is no change for the
 * caller. BAD_STATE: a run is writing the states. */
static enum hy_code find(const struct halyard_session *session, struct hy_states **states,
                         struct hy_error *err)
{
    struct halyard_session *own = (struct halyard_session *)(uintptr_t)session;

    enum hy_code code = hy_session_check_idle(own, err);
    if (code == HY_OK)
        code = hy_session_lower(own, err);
    if (code == HY_OK)
        *states = own->states;
    return code;
}

uint32_t halyard_session_state_count(const struct halyard_session *session)
{
    struct hy_states *states = NULL;
    struct hy_error ignored;

    if (!session || find(session, &states, &ignored) != HY_OK)
        return 0;
    return hy_states_count(states);
}

static enum hy_code get(const struct halyard_session *session, uint32_t index,
                        struct halyard_tensor_info *info, struct hy_error *err)
{
    struct halyard_tensor_info full;
    struct hy_states *states = NULL;

    const enum hy_code code = find(session, &states, err);
    if (code != HY_OK)
        return code;
    if (index >= hy_states_count(states))
        return hy_fail(err, HY_BAD_DATA, "state %u does not exist, the session has %u", index,
                       hy_states_count(states));
    const struct hy_graph_tensor *tensor = hy_states_tensor(states, index);
    hy_tensor_info_fill(tensor, tensor->name, tensor->rank, tensor->extents, &full);
    return hy_public_struct_write(&full, sizeof full, info, err);
}

int halyard_session_get_state(const struct halyard_session *session, uint32_t index,
                              struct halyard_tensor_info *info)
{
    static const char name[] = "session_get_state";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!info)
        return hy_public_null(name, "info");
    return hy_public_result(get(session, index, info, &err), &err);
}

int halyard_session_read_state(const struct halyard_session *session, uint32_t index, void *bytes,
                               size_t length)
{
    static const char name[] = "session_read_state";
    struct hy_states *states = NULL;
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!bytes && length > 0)
        return hy_public_null(name, "bytes");
    enum hy_code code = find(session, &states, &err);
    if (code == HY_OK)
        code = hy_states_read(states, index, bytes, length, &err);
    return hy_public_result(code, &err);
}

int halyard_session_write_state(struct halyard_session *session, uint32_t index, const void *bytes,
                                size_t length)
{
    static const char name[] = "session_write_state";
    struct hy_states *states = NULL;
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!bytes && length > 0)
        return hy_public_null(name, "bytes");
    enum hy_code code = find(session, &states, &err);
    if (code == HY_OK)
        code = hy_states_write(states, index, bytes, length, &err);
    return hy_public_result(code, &err);
}

int halyard_session_reset_state(struct halyard_session *session)
{
    struct hy_states *states = NULL;
    struct hy_error err;

    if (!session)
        return hy_public_null("session_reset_state", "session");
    const enum hy_code code = find(session, &states, &err);
    if (code == HY_OK)
        hy_states_reset(states);
    return hy_public_result(code, &err);
}

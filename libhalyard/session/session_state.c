/* halyard/session.h: what a session keeps from one run to the next. */
#include "libhalyard/session/session.h"

static int fail_index(uint32_t index)
{
    struct hy_error err;
    return hy_public_result(hy_fail(&err, HY_BAD_DATA, "state %u, the session has 0", index), &err);
}

uint32_t halyard_session_state_count(const struct halyard_session *session)
{
    (void)session;
    return 0;
}

int halyard_session_get_state(const struct halyard_session *session, uint32_t index,
                              struct halyard_tensor_info *info)
{
    static const char name[] = "session_get_state";

    if (!session)
        return hy_public_null(name, "session");
    return info ? fail_index(index) : hy_public_null(name, "info");
}

int halyard_session_read_state(const struct halyard_session *session, uint32_t index, void *bytes,
                               size_t length)
{
    static const char name[] = "session_read_state";

    if (!session)
        return hy_public_null(name, "session");
    return bytes || length == 0 ? fail_index(index) : hy_public_null(name, "bytes");
}

int halyard_session_write_state(struct halyard_session *session, uint32_t index, const void *bytes,
                                size_t length)
{
    static const char name[] = "session_write_state";

    if (!session)
        return hy_public_null(name, "session");
    return bytes || length == 0 ? fail_index(index) : hy_public_null(name, "bytes");
}

int halyard_session_reset_state(struct halyard_session *session)
{
    return session ? ANEURALNETWORKS_NO_ERROR : hy_public_null("session_reset_state", "session");
}

#include "tools/commands/explanation.h"

#include <stdlib.h>

#include "tools/api_result.h"
#include "tools/print_json.h"

/* Which operator of the file an operation came from: the library cannot know. */
static void add_operators(json_t *report, const struct halyard_session *session)
{
    json_t *operation;
    size_t index;

    json_array_foreach(json_object_get(report, "operations"), index, operation) json_object_set_new(
        operation, "operator",
        json_integer((json_int_t)halyard_session_operator_of(session, (uint32_t)index)));
}

enum hy_code hy_explanation_print_json(const struct hy_session *session, struct hy_error *err)
{
    char *text = NULL;
    enum hy_code code = hy_explanation_report(session, HALYARD_REPORT_JSON, &text, err);
    if (code != HY_OK)
        return code;

    json_t *report = json_loads(text, 0, NULL);
    free(text);
    add_operators(report, hy_session_handle(session));
    return hy_json_print(report, err);
}

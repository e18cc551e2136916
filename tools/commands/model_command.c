#include "tools/commands/model_command.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/printable.h"
#include "tools/command.h"

enum { NOTE_SIZE = 256 };

int hy_model_choose_devices(const char *command, const struct hy_option_list *names, bool isolate,
                            struct hy_device_selection *selection)
{
    struct hy_error err;
    if (isolate)
        hy_command_isolate();
    enum hy_code code = hy_device_selection_make(names, selection, &err);
    if (code == HY_OK && isolate)
        code = hy_device_selection_check_isolated(selection, &err);
    if (code == HY_OK)
        return HY_EXIT_OK;
    if (code == HY_BAD_DATA)
        return hy_exit_wrong(command, "%s", err.text);
    return hy_exit_failed(command, &err);
}

int hy_model_load_inputs(const char *command, struct hy_session *session,
                         const struct hy_option_list *paths,
                         const struct halyard_image_options *image)
{
    const uint32_t count = hy_session_input_count(session);
    if (paths->count > count)
        return hy_exit_wrong(command, "--input %s: the model has only %u input%s",
                             paths->items[count], count, count == 1 ? "" : "s");

    const char *left_out = hy_session_metadata_note(session);
    if (*left_out)
        fprintf(stderr, "ignored in the model's metadata: %s\n", left_out);
    for (uint32_t i = 0; i < paths->count; i++) {
        char note[NOTE_SIZE] = "";
        struct hy_error err;
        if (hy_session_read_input(session, i, paths->items[i], image, note, sizeof note, &err) !=
            HY_OK)
            return hy_exit_failed(command, &err);
        if (*note)
            fprintf(stderr, "%s: %s\n", hy_text_line(paths->items[i]).text, note);
    }
    return HY_EXIT_OK;
}

int hy_model_choose_cache(const char *command, const char *dir)
{
    const char *automatic = getenv("HALYARD_CACHE_DIR");

    if (dir || (automatic && *automatic))
        return HY_EXIT_OK;
    return hy_exit_wrong(command, "--cache is missing, and HALYARD_CACHE_DIR is not set");
}

int hy_model_choose_mode(const char *command, const char *name, enum hy_run_mode *mode)
{
    if (hy_run_mode_parse(name, mode))
        return HY_EXIT_OK;
    return hy_exit_wrong(command, "--mode %s: unknown mode; known: %s", name, HY_RUN_MODES);
}

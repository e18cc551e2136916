/* What a driver cannot do in a process of its own, and what it can. */
#include "confined.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct confined_dirs *dirs;

static bool has_dirs(void)
{
    dirs = confined_own_dirs();
    return dirs != NULL;
}

/* In both stages, with what the kernel has. */
static void expect(const char *deed, const char *argument, int outcome, const char *line)
{
    confined_expect(LOADING, LACKS_NOTHING, deed, argument, outcome, line);
    confined_expect(WORKING, LACKS_NOTHING, deed, argument, outcome, line);
}

static void expect_refused(const char *deed, const char *argument, const char *call)
{
    char line[64];
    snprintf(line, sizeof line, "system call %s (", call);
    confined_expect_anyway(deed, argument, EPERM, line);
}

static bool outside_is_untouched(void)
{
    struct stat info;
    return stat(dirs->outside, &info) == 0 && info.st_size == 5 && (info.st_mode & 0777) != 0777;
}

/* ---- Files ----------------------------------------------------------------------------------- */

TEST(sandbox, file_outside_is_not_opened_and_its_path_is_told)
{
    char line[256];

    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    snprintf(line, sizeof line, " of %s was refused", dirs->outside);
    expect("read_file", dirs->outside, EACCES, line);
    expect("read_file", "/etc/passwd", EACCES, " of /etc/passwd was refused");
    expect("write_file", dirs->outside, EACCES, line);
    snprintf(line, sizeof line, " of %s was refused", dirs->missing);
    expect("write_file", dirs->missing, EACCES, line);
    expect("write_file", "/dev/shm/halyard-hostile", EACCES, "/dev/shm/halyard-hostile was");
    expect("list_dir", dirs->root, EACCES, dirs->root);
    expect("open_another_way", dirs->outside, EACCES, NULL);
    expect("remove_file", dirs->outside, EACCES, NULL);
    EXPECT(access(dirs->missing, F_OK) != 0);
    EXPECT(outside_is_untouched());
}

TEST(sandbox, file_outside_is_not_changed_by_name)
{
    REQUIRE(has_dirs());
    expect_refused("change_mode", dirs->outside, "chmod");
    expect_refused("cut_file", dirs->outside, "truncate");
    if (confined_has_landlock())
        expect("change_open_file", dirs->plain, EPERM, NULL);
    EXPECT(outside_is_untouched());
}

TEST(sandbox, file_that_was_passed_is_not_opened_again_for_more)
{
    char path[160];

    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    const int passed = open(dirs->outside, O_RDONLY);
    snprintf(path, sizeof path, "/proc/self/fd/%d", passed);
    expect("write_file", path, EACCES, path);
    snprintf(path, sizeof path, "/proc/self/root%s", dirs->outside);
    expect("read_file", path, EACCES, path);
    EXPECT(outside_is_untouched());
    close(passed);
}

TEST(sandbox, state_folder_is_the_driver_s_own)
{
    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    expect("use_state", dirs->state, 0, NULL);
}

TEST(sandbox, device_files_are_what_the_manifest_names)
{
    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    expect("use_device", "/dev/full", 0, NULL);
    expect("use_device", "/dev/null", 0, NULL);
    expect("use_device", "/dev/tty", EACCES, "/dev/tty was refused");
    expect("read_file", dirs->plain, 0, NULL);
    expect("use_device", dirs->plain, EACCES, dirs->plain);
    expect("read_file", dirs->in_dir, 0, NULL);
    expect("write_file", dirs->in_dir, EACCES, dirs->in_dir);
}

TEST(sandbox, folder_of_the_library_is_open_until_the_driver_is_there)
{
    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    confined_expect(LOADING, LACKS_NOTHING, "read_file", HOSTILE_PATH, 0, NULL);
    confined_expect(WORKING, LACKS_NOTHING, "read_file", HOSTILE_PATH, EACCES, HOSTILE_PATH);
    expect("load_library", "libm.so.6", 0, NULL);
}

TEST(sandbox, thread_that_was_there_before_is_confined_like_all)
{
    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    confined_expect(LOADING, LACKS_NOTHING, "read_by_early_thread", HOSTILE_PATH, 0, NULL);
    confined_expect(WORKING, LACKS_NOTHING, "read_by_early_thread", HOSTILE_PATH, EACCES, NULL);
    expect("read_by_early_thread", dirs->outside, EACCES, NULL);
}

TEST(sandbox, app_is_not_read_through_proc)
{
    static const char *const files[] = {"mem",     "environ", "maps",
                                        "cmdline", "fd",      "root/etc/passwd"};
    char path[64];

    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)getpid(), files[i]);
        expect("read_file", path, EACCES, path);
    }
}

TEST(sandbox, folders_of_others_are_not_read)
{
    char others[160], file[192];

    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    snprintf(others, sizeof others, "%s-of-another", dirs->state);
    snprintf(file, sizeof file, "%s/cache", others);
    REQUIRE(mkdir(others, 0700) == 0 || errno == EEXIST);
    expect("list_dir", others, EACCES, others);
    expect("write_file", file, EACCES, file);
    expect("list_dir", "/root", EACCES, "/root was refused");
    expect("list_dir", "/home", EACCES, "/home was refused");
    expect("list_dir", "/tmp", EACCES, "/tmp was refused");
    rmdir(others);
}

TEST(sandbox, limits_are_those_of_a_service)
{
    REQUIRE(has_dirs());
    confined_expect_anyway("have_limits", NULL, 0, NULL);
}

/* ---- Everybody else -------------------------------------------------------------------------- */

TEST(sandbox, sockets_are_those_it_was_given)
{
    REQUIRE(has_dirs());
    expect_refused("make_socket", NULL, "socket");
    expect_refused("connect_socket", NULL, "connect");
    expect_refused("make_letter_box", NULL, "socketpair");
}

TEST(sandbox, other_programs_are_not_run)
{
    REQUIRE(has_dirs());
    expect_refused("execute", "/bin/true", "execve");
    expect_refused("execute_from_memory", NULL, "execveat");
    confined_expect_anyway("spawn", "/bin/true", EPERM, NULL);
    confined_expect_anyway("make_process", NULL, EPERM, NULL);
}

TEST(sandbox, other_processes_are_left_alone)
{
    REQUIRE(has_dirs());
    expect_refused("trace_parent", NULL, "ptrace");
    expect_refused("read_parent", NULL, "process_vm_readv");
    expect_refused("kill_parent", NULL, "kill");
    expect_refused("kill_group", NULL, "kill");
    expect_refused("reach_parent", NULL, "pidfd_open");
    expect_refused("limit_parent", NULL, "prlimit64");
}

TEST(sandbox, machine_is_left_as_it_is)
{
    REQUIRE(has_dirs());
    expect_refused("become_root", NULL, "setuid");
    confined_expect_anyway("have_powers", NULL, EPERM, NULL);
    confined_expect(WORKING, LACKS_LANDLOCK, "have_no_powers", NULL, 0, NULL);
    expect_refused("leave_namespace", NULL, "unshare");
    expect_refused("mount_something", dirs->root, "mount");
    expect_refused("load_program", NULL, "bpf");
    expect_refused("use_keys", NULL, "keyctl");
    expect_refused("change_kernel", NULL, "kexec_load");
    expect_refused("load_module", NULL, "init_module");
    expect_refused("catch_faults", NULL, "userfaultfd");
    expect_refused("measure_events", NULL, "perf_event_open");
    expect_refused("make_ring", NULL, "io_uring_setup");
    expect_refused("type_on_terminal", NULL, "ioctl");
}

TEST(sandbox, call_that_is_newer_than_the_list_does_not_exist)
{
    REQUIRE(has_dirs());
    confined_expect_anyway("call_the_future", NULL, ENOSYS, "without a name (1000)");
}

/* ---- What works ------------------------------------------------------------------------------ */

TEST(sandbox, threads_memory_and_signals_of_its_own_work)
{
    REQUIRE(has_dirs());
    confined_expect_anyway("use_memory", NULL, 0, NULL);
    confined_expect_anyway("signal_itself", NULL, 0, NULL);
    if (confined_has_landlock())
        expect("look_at_itself", NULL, 0, NULL);
}

TEST(sandbox, describes_itself)
{
    struct confined confined;

    REQUIRE(has_dirs());
    REQUIRE(confined_run(dirs, WORKING, LACKS_NOTHING, "use_memory", NULL, NULL, &confined));
    EXPECT_CONTAINS(confined.description,
                    confined_has_landlock() ? "seccomp+landlock " : "seccomp");
    EXPECT_STR(confined.log, "");
}

/* ---- Where the kernel has less --------------------------------------------------------------- */

TEST(sandbox, without_landlock_no_file_is_opened_once_the_driver_is_there)
{
    struct confined confined;

    REQUIRE(has_dirs());
    confined_expect(LOADING, LACKS_LANDLOCK, "read_file", dirs->outside, 0, NULL);
    confined_expect(WORKING, LACKS_LANDLOCK, "read_file", dirs->outside, EPERM,
                    "system call openat (");
    confined_expect(WORKING, LACKS_LANDLOCK, "open_another_way", dirs->outside, EPERM,
                    "system call openat2 (");
    confined_expect(WORKING, LACKS_LANDLOCK, "write_file", dirs->missing, EPERM,
                    "system call openat (");
    confined_expect(WORKING, LACKS_LANDLOCK, "remove_file", dirs->outside, EPERM,
                    "system call unlink (");
    confined_expect(WORKING, LACKS_LANDLOCK, "make_socket", NULL, EPERM, "system call socket (");
    confined_expect(WORKING, LACKS_LANDLOCK, "use_memory", NULL, 0, NULL);
    EXPECT(outside_is_untouched());

    REQUIRE(confined_run(dirs, WORKING, LACKS_LANDLOCK, "use_memory", NULL, NULL, &confined));
    EXPECT_STR(confined.description, "seccomp, opens no files");
    EXPECT_CONTAINS(confined.log, "the kernel has no Landlock");
}

TEST(sandbox, without_seccomp_files_are_still_closed_and_it_says_so)
{
    struct confined confined;

    REQUIRE(has_dirs());
    if (!confined_has_landlock())
        return;
    confined_expect(WORKING, LACKS_SECCOMP, "read_file", dirs->outside, EACCES, NULL);
    REQUIRE(confined_run(dirs, WORKING, LACKS_SECCOMP, "use_memory", NULL, NULL, &confined));
    EXPECT_CONTAINS(confined.description, "landlock ");
    EXPECT_CONTAINS(confined.description, "; no seccomp");
    EXPECT_CONTAINS(confined.log, "sandbox: seccomp: ");
}

TEST(sandbox, without_either_it_serves_and_says_why)
{
    struct confined confined;

    REQUIRE(has_dirs());
    REQUIRE(confined_run(dirs, WORKING, LACKS_BOTH, "use_memory", NULL, NULL, &confined));
    EXPECT_INT(confined.outcome, 0);
    EXPECT_STR(confined.description, "none: the kernel has no Landlock");
    EXPECT_CONTAINS(confined.log, "sandbox: seccomp: ");
}

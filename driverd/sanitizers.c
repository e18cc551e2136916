/* Builds with a sanitizer: it looks for leaks in a process that traces this one, which the sandbox
 * refuses. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
    return 1;
}
#else
typedef int hy_no_sanitizer; /* a file has to hold something */
#endif

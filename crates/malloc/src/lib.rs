//! Returns free memory to the system.
//!
//! glibc's allocator keeps freed memory for later, and returns by itself only what
//! lies at the end of a heap. Compiling the rules leaves many megabytes of holes in the
//! middle, and so does a busy hour. Other allocators need no such call; for them it
//! does nothing.

/// Returns what it can. It walks the whole heap, for milliseconds, while other threads
/// wait for memory: call it when the process is idle.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::trim();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the compiler cannot see that a foreign function is as declared")]
mod glibc {
    unsafe extern "C" {
        // malloc_trim(3): `int malloc_trim(size_t pad)`, MT-Safe. It touches only free
        // memory, so every call is safe.
        safe fn malloc_trim(pad: usize) -> core::ffi::c_int;
    }

    pub(super) fn trim() {
        // Whether there was anything to return does not matter.
        let _returned = malloc_trim(0);
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use std::fs;

    fn resident_kb() -> usize {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Many small allocations are freed, and one behind them stays.
    #[test]
    fn holes_are_returned_to_the_system() {
        let pieces: Vec<Box<[u8; 1024]>> = (0..32 * 1024).map(|_| Box::new([1; 1024])).collect();
        let stays = Box::new([1_u8; 1024]);
        drop(pieces);
        let before = resident_kb();
        super::trim();
        let after = resident_kb();
        assert!(after + 16 * 1024 < before, "{before} KB, then {after} KB");
        drop(stays);
    }
}

//! Gives memory that is not used any more back to the system.
//!
//! The allocator of glibc keeps what was freed, in case it is needed again, and
//! can give back by itself only what lies at the end of a heap. Compiling the
//! rules leaves many megabytes of holes before what stays, and so does a busy
//! hour. Other allocators have no such call, and need none.

/// Gives back what it can. It walks through all of the heap, in milliseconds,
/// while others wait for memory: call it when nothing is going on.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::trim();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the compiler cannot see that a foreign function is as declared")]
mod glibc {
    unsafe extern "C" {
        // malloc_trim(3): `int malloc_trim(size_t pad)`, MT-Safe. It touches free
        // memory only, so there is nothing that a caller could do wrong.
        safe fn malloc_trim(pad: usize) -> core::ffi::c_int;
    }

    pub(super) fn trim() {
        // Whether there was anything to give back changes nothing.
        let _gave_back = malloc_trim(0);
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

    /// Many small pieces, freed, with one at the end that stays.
    #[test]
    fn holes_go_back_to_the_system() {
        let pieces: Vec<Box<[u8; 1024]>> = (0..32 * 1024).map(|_| Box::new([1; 1024])).collect();
        let stays = Box::new([1_u8; 1024]);
        drop(pieces);
        let before = resident_kb();
        super::give_back();
        let after = resident_kb();
        assert!(after + 16 * 1024 < before, "{before} KB, then {after} KB");
        drop(stays);
    }
}

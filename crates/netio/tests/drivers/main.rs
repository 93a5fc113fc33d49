//! One suite for all drivers over real sockets: the contract of `netio::Driver`, case by case.

mod cases;
mod peer;
mod rig;

/// Runs every case over a driver; `$make` gives a rig of it, or none where this machine refuses the driver.
macro_rules! suite {
    ($driver:ident: $make:expr; $($case:ident)*) => {
        mod $driver {
            $(
                #[test]
                fn $case() {
                    if let Some(rig) = $make {
                        crate::cases::$case(rig);
                    }
                }
            )*
        }
    };
}

macro_rules! suites {
    ($($driver:ident: $make:expr;)*) => {
        $(suite! { $driver: $make;
            connect_is_refused
            connect_to_an_absent_unix_socket_fails
            echo_over_ipv4
            echo_over_ipv6
            echo_over_unix
            unix_connects_wait_for_a_full_listener
            ten_megabytes_to_a_slow_reader_come_back_whole
            sends_given_before_the_connection_stands_leave_in_order
            a_stream_arrives_whole
            bytes_come_before_the_end
            sending_goes_on_after_the_peer_ended
            a_reset_is_a_failure
            bytes_come_before_a_reset
            bytes_come_before_a_failed_send
            close_is_silent_and_frees_the_number
            close_while_connecting_is_silent
            reset_reaches_the_peer_as_a_reset
            sends_and_closes_on_closed_connections_are_harmless
            a_thousand_connections
            waits_are_never_early
            a_waker_wakes_from_another_thread
            wake_ups_before_the_wait_are_kept
        })*
    };
}

suites! {
    epoll: Some(crate::rig::epoll());
    uring: crate::rig::uring();
}

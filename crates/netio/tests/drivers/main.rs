//! One suite for all drivers over real sockets: the contract of `netio::Driver`, case by case.

mod cases;
mod chance;
mod peer;
mod rig;

/// Runs every case over a driver; `$make` gives a rig of it, or none where this machine refuses the driver.
macro_rules! suite {
    ($driver:ident: $make:expr; $($module:ident::$case:ident)*) => {
        mod $driver {
            $(
                #[test]
                fn $case() {
                    if let Some(rig) = $make {
                        crate::$module::$case(rig);
                    }
                }
            )*
        }
    };
}

macro_rules! suites {
    ($($driver:ident: $make:expr;)*) => {
        $(suite! { $driver: $make;
            cases::connect_is_refused
            cases::connect_to_an_absent_unix_socket_fails
            cases::echo_over_ipv4
            cases::echo_over_ipv6
            cases::echo_over_unix
            cases::unix_connects_wait_for_a_full_listener
            cases::ten_megabytes_to_a_slow_reader_come_back_whole
            cases::rounds_of_sends_to_a_slow_reader_arrive_in_order
            cases::sends_given_before_the_connection_stands_leave_in_order
            cases::a_stream_arrives_whole
            cases::bytes_come_before_the_end
            cases::sending_goes_on_after_the_peer_ended
            cases::a_reset_is_a_failure
            cases::a_reset_during_a_send_is_one_failure
            cases::bytes_come_before_a_reset
            cases::bytes_come_before_a_failed_send
            cases::close_is_silent_and_frees_the_number
            cases::close_during_a_send_is_silent
            cases::close_while_connecting_is_silent
            cases::reset_reaches_the_peer_as_a_reset
            cases::sends_and_closes_on_closed_connections_are_harmless
            cases::a_thousand_connections
            cases::waits_are_never_early
            cases::a_waker_wakes_from_another_thread
            cases::wake_ups_before_the_wait_are_kept
            chance::echoes_survive_chance
        })*
    };
}

suites! {
    epoll: Some(crate::rig::epoll());
    uring: crate::rig::uring();
}

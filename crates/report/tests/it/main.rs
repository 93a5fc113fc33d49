//! Each format against its golden file, and files that are whole or not there.

mod comparisons;
mod formats;
mod live_line;
mod output_file;
mod page;
mod sample;

//! Native part of `crypto.subtle`: ciphers, curves, RSA, derivation of keys. Bytes in, bytes out; names, usages and errors are WebCrypto's and stand in
//! `modules/globals/subtle.js`.

mod ciphers;
mod curves;
mod derive;
mod forms;
mod functions;
mod rsa;

pub(super) use functions::add;

#[cfg(test)]
mod tests {
    /// Bytes of digits.
    pub(super) fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<char> = hex.chars().collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap())
            .collect()
    }
}

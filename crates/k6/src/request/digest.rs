//! The answer to a `WWW-Authenticate: Digest` (RFC 7616): MD5 and SHA-256, `auth` or the older form without it.

use super::wire::percent_decoded;
use md5::Digest as _;

/// The `Authorization` that answers a challenge; `None`: it is no digest challenge, or one of another kind.
/// `userinfo`: name and password as in the URL; `client_nonce`: hexadecimal.
pub(crate) fn answer(
    challenge: &str,
    userinfo: &str,
    method: &str,
    target: &str,
    client_nonce: &str,
) -> Option<String> {
    let (scheme, rest) = challenge.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("digest") {
        return None;
    }
    let given = parameters(rest);
    let get = |name: &str| {
        given.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value.as_str())
    };
    let (realm, nonce, opaque, algorithm) = (get("realm"), get("nonce"), get("opaque"), get("algorithm"));
    let plain = algorithm.to_ascii_lowercase();
    let (kind, is_session) = plain.strip_suffix("-sess").map_or((plain.as_str(), false), |kind| (kind, true));
    let hash: fn(&str) -> String = match kind {
        "" | "md5" => |text| hex(&md5::Md5::digest(text.as_bytes())),
        "sha-256" => |text| hex(&sha2::Sha256::digest(text.as_bytes())),
        _ => return None,
    };
    let (name, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
    let text = |encoded: &str| String::from_utf8_lossy(&percent_decoded(encoded)).into_owned();
    let (name, password) = (text(name), text(password));
    let mut who = hash(&format!("{name}:{realm}:{password}"));
    if is_session {
        who = hash(&format!("{who}:{nonce}:{client_nonce}"));
    }
    let what = hash(&format!("{method}:{target}"));
    let knows_auth = get("qop").split(',').any(|one| one.trim().eq_ignore_ascii_case("auth"));
    if !knows_auth && !get("qop").is_empty() {
        return None;
    }
    let response = match knows_auth {
        true => hash(&format!("{who}:{nonce}:00000001:{client_nonce}:auth:{what}")),
        false => hash(&format!("{who}:{nonce}:{what}")),
    };
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut line = format!(
        "Digest username=\"{}\", realm=\"{}\", nonce=\"{}\", uri=\"{target}\", response=\"{response}\"",
        quoted(&name),
        quoted(realm),
        quoted(nonce)
    );
    if !algorithm.is_empty() {
        line.push_str(&format!(", algorithm={algorithm}"));
    }
    if !opaque.is_empty() {
        line.push_str(&format!(", opaque=\"{}\"", quoted(opaque)));
    }
    if knows_auth {
        line.push_str(&format!(", qop=auth, nc=00000001, cnonce=\"{client_nonce}\""));
    }
    Some(line)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `a=b, c="d, e"` as pairs.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut letters = text.chars().peekable();
    loop {
        let name: String = std::iter::from_fn(|| letters.next_if(|letter| *letter != '=')).collect();
        if letters.next().is_none() {
            return pairs;
        }
        let mut value = String::new();
        if letters.next_if_eq(&'"').is_some() {
            while let Some(letter) = letters.next().filter(|letter| *letter != '"') {
                value.push(if letter == '\\' { letters.next().unwrap_or_default() } else { letter });
            }
            while letters.next_if(|letter| *letter != ',').is_some() {}
        } else {
            value = std::iter::from_fn(|| letters.next_if(|letter| *letter != ',')).collect();
        }
        letters.next();
        pairs.push((name.trim().to_owned(), value.trim().to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_s_examples_come_out() {
        // RFC 7616, section 3.9.1.
        let check = |algorithm: &str, response: &str| {
            let challenge = format!(
                "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm={algorithm}, nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""
            );
            let nonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
            let line =
                answer(&challenge, "Mufasa:Circle%20of%20Life", "GET", "/dir/index.html", nonce).unwrap();
            assert!(line.contains(&format!("response=\"{response}\"")), "{line}");
            assert!(line.contains("qop=auth, nc=00000001"), "{line}");
        };
        check("MD5", "8ca523f5e9506fed4657c9700eebdbec");
        check("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1");
    }

    #[test]
    fn other_challenges_are_left_alone() {
        for other in
            ["Basic realm=a", "Digest", "Digest algorithm=FOO, nonce=a", "Digest qop=\"auth-int\", nonce=a"]
        {
            assert_eq!(answer(other, "a:b", "GET", "/", "00"), None, "{other}");
        }
        assert!(answer("digest realm=\"\", nonce=\"x\"", "a:b", "GET", "/", "00").is_some());
    }
}

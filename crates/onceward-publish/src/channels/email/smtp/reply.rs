//! A reply: a code, and lines of text.

/// What a server says at most in one reply, in bytes.
const LONGEST: usize = 64 * 1024;

/// A whole reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Reply {
    pub(in super::super) code: u16,
    lines: Vec<String>,
}

/// A reply on its way in, line by line.
#[derive(Debug, Default)]
pub(in super::super) struct Lines {
    code: Option<u16>,
    texts: Vec<String>,
    bytes: usize,
}

impl Lines {
    /// Takes one line with its end; gives the reply when it was the last.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(in super::super) fn take(&mut self, line: &[u8]) -> Result<Option<Reply>, String> {
        self.bytes += line.len();
        if self.bytes > LONGEST {
            return Err("it is longer than 64 KiB".to_owned());
        }
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches(['\r', '\n']);
        let code = line.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()));
        let code: u16 = code.and_then(|code| code.parse().ok()).ok_or("it does not begin with a code")?;
        if self.code.is_some_and(|before| before != code) {
            return Err("its lines have different codes".to_owned());
        }
        self.code = Some(code);
        self.texts.push(line.get(4..).unwrap_or_default().to_owned());
        match line.as_bytes().get(3) {
            Some(b'-') => Ok(None),
            Some(b' ') | None => Ok(Some(Reply { code, lines: std::mem::take(&mut self.texts) })),
            Some(_) => Err("no space follows its code".to_owned()),
        }
    }
}

impl Reply {
    /// The code's first digit.
    pub(super) fn class(&self) -> u16 {
        self.code / 100
    }

    /// Its lines without the code.
    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The enhanced status code of RFC 3463 (`5.1.1`), where it has one.
    pub(in super::super) fn enhanced(&self) -> Option<&str> {
        let word = self.lines.first()?.split(' ').next()?;
        let mut numbers = word.split('.');
        let digits = |number: Option<&str>| {
            number
                .is_some_and(|it| (1..=3).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let three = digits(numbers.next()) && digits(numbers.next()) && digits(numbers.next());
        (three && numbers.next().is_none()).then_some(word)
    }

    /// All of it in one line.
    pub(in super::super) fn text(&self) -> String {
        format!("{} {}", self.code, self.lines.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Reply>, String> {
        let mut lines = Lines::default();
        let mut last = Ok(None);
        for line in text.split_inclusive('\n') {
            last = lines.take(line.as_bytes());
            if !matches!(last, Ok(None)) {
                break;
            }
        }
        last
    }

    #[test]
    fn replies_are_read_to_their_last_line() {
        let reply = read("250-mx.example\r\n250-SIZE 100\r\n250 HELP\r\n").unwrap().unwrap();
        assert_eq!(
            (reply.code, reply.lines()),
            (250, ["mx.example", "SIZE 100", "HELP"].map(String::from).as_slice())
        );
        assert_eq!(read("250-mx.example\r\n"), Ok(None));
        assert_eq!(read("220\r\n").unwrap().unwrap().code, 220);
        let refused = read("550-5.1.1 no\n550 5.1.1 such user\n").unwrap().unwrap();
        assert_eq!(
            (refused.enhanced(), refused.text().as_str()),
            (Some("5.1.1"), "550 5.1.1 no 5.1.1 such user")
        );
    }

    #[test]
    fn only_three_numbers_are_an_enhanced_code() {
        for (text, code) in [
            ("550 5.1.1 no", Some("5.1.1")),
            ("450 4.7.26 no", Some("4.7.26")),
            ("550 5.1.1", Some("5.1.1")),
            ("550 5.1 no", None),
            ("550 5.1.1.1 no", None),
            ("550 5.1.x no", None),
            ("550 5.1.1234 no", None),
            ("550 no", None),
            ("550", None),
        ] {
            assert_eq!(read(text).unwrap().unwrap().enhanced(), code, "{text}");
        }
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for text in [
            "HTTP/1.1 400 Bad Request\r\n",
            "25 x\r\n",
            "\r\n",
            "2500 x\r\n",
            "250-a\r\n550 b\r\n",
            "２５0 x\r\n",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
        let mut lines = Lines::default();
        let line = format!("250-{}\r\n", "x".repeat(1000));
        assert!((0..100).any(|_| lines.take(line.as_bytes()).is_err()), "a reply has an end");
    }
}

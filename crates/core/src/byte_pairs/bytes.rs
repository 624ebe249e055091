//! The tokens of single bytes: printable ones first, in the order of Latin-1, then the others.

/// The token of the first byte.
const FIRST: u16 = 5;

/// The token of each byte.
pub const TOKENS: [u16; 256] = tokens();

const fn tokens() -> [u16; 256] {
    let mut tokens = [0; 256];
    let mut next = FIRST;
    let mut pass = 0;
    while pass < 2 {
        let mut byte = 0;
        while byte < 256 {
            let is_printable = matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
            if is_printable == (pass == 0) {
                tokens[byte] = next;
                next += 1;
            }
            byte += 1;
        }
        pass += 1;
    }
    tokens
}

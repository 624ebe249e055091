//! Names of tools, kept once each.

use std::collections::HashMap;

/// Names kept once and referred to by number; number 0 is the empty name.
#[derive(Debug)]
pub struct Names {
    list: Vec<String>,
    index: HashMap<String, u32>,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            list: vec![String::new()],
            index: HashMap::new(),
        }
    }
}

impl Names {
    /// Returns the number of `name`, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        if let Some(&n) = self.index.get(name) {
            return n;
        }
        let n = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.index.insert(name.to_owned(), n);
        n
    }

    /// Returns the name with this number.
    pub fn name(&self, number: u32) -> Option<&str> {
        self.list.get(number as usize).map(String::as_str)
    }

    /// Returns the number of `name`, if it was added.
    pub fn number(&self, name: &[u8]) -> Option<u32> {
        self.list
            .iter()
            .position(|known| known.as_bytes() == name)
            .map(|n| n as u32)
    }

    /// Returns all names, by number.
    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}

//! Models and providers that the entries of a log name. The newest on the path to the leaf applies.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::tree::order::Order;

/// The model and provider that an entry names, by number in [`TranscriptBuilder::named`]; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelNaming {
    /// Index of the entry.
    pub entry: u32,
    /// Model.
    pub model: u32,
    /// Provider.
    pub provider: u32,
}

impl TranscriptBuilder {
    /// Notes the model and provider that the next entry names, where it does.
    pub fn set_entry_model(&mut self, model: Option<&str>, provider: Option<&str>) {
        let mut number = |name: Option<&str>| name.map_or(0, |name| self.named.intern(name));
        let found = ModelNaming { entry: self.entries.len() as u32, model: number(model), provider: number(provider) };
        if (found.model, found.provider) != (0, 0) {
            self.namings.push(found);
        }
        self.set_model(model, provider);
    }

    /// Takes the newest model and provider that the entries of `path` name. Where none does, the newest by `order` counts, where
    /// there is one, else the last in the file.
    pub fn name_by_path(&mut self, path: &[usize], order: Option<&Order>) {
        if self.namings.is_empty() {
            return;
        }
        let mut places = vec![0u32; self.entries.len()];
        path.iter().zip(1..).for_each(|(&entry, place)| places[entry] = place);
        let newest = |name: fn(&ModelNaming) -> u32| {
            let place = |n: &&ModelNaming| places[n.entry as usize];
            let newest = self.namings.iter().filter(|n| name(n) > 0).max_by_key(|n| (place(n), order.map(|o| o.key(n.entry as usize))));
            newest.filter(|n| place(n) > 0 || order.is_some()).map(name)
        };
        let (model, provider) = (newest(|n| n.model), newest(|n| n.provider));
        let name = |number: u32| self.named.name(number).map(str::to_owned);
        self.model = model.and_then(name).or(self.model.take());
        self.provider = provider.and_then(name).or(self.provider.take());
    }
}

//! Models, providers and APIs that the entries of a log name. The newest on the path to the leaf
//! applies.

use crate::dialect::{builder::TranscriptBuilder, tree::order::Order};

/// The model and provider that an entry names, by number in [`TranscriptBuilder::named`]; 0 is
/// none.
#[derive(Clone, Copy, Debug)]
pub struct ModelNaming {
    /// Index of the entry.
    pub entry: u32,
    /// Model, provider and API.
    pub names: [u32; 3],
}

impl TranscriptBuilder {
    /// Notes the model, the provider and the API that the next entry names, where it does.
    pub fn set_entry_model(
        &mut self,
        model: Option<&str>,
        provider: Option<&str>,
        api: Option<&str>,
    ) {
        let named = [model, provider, api];
        let names = named.map(|name| name.map_or(0, |name| self.named.intern(name)));
        if names != [0; 3] {
            self.namings.push(ModelNaming {
                entry: self.entries.len() as u32,
                names,
            });
        }
        self.set_names(named);
    }

    /// Takes the newest model, provider and API that the entries of `path` name. If none does, the
    /// newest by `order` counts or, without an order, the last in the file.
    pub fn name_by_path(&mut self, path: &[usize], order: Option<&Order>) {
        if self.namings.is_empty() {
            return;
        }
        let mut places = vec![0u32; self.entries.len()];
        path.iter()
            .zip(1..)
            .for_each(|(&entry, place)| places[entry] = place);
        let newest = |which: usize| {
            let place = |n: &&ModelNaming| places[n.entry as usize];
            let named = self.namings.iter().filter(|n| n.names[which] > 0);
            let newest = named.max_by_key(|n| (place(n), order.map(|o| o.key(n.entry as usize))));
            newest.filter(|n| place(n) > 0 || order.is_some())
        };
        let name = |number: u32| self.named.name(number).map(str::to_owned);
        let [model, provider, api] = [0, 1, 2].map(newest);
        let of_this_provider = |n: &&ModelNaming| {
            n.names[1] == 0 || provider.is_none_or(|newest| newest.names[1] == n.names[1])
        };
        if let Some(naming) = model {
            let message = self.entries[naming.entry as usize].said();
            self.model_record = message.map(|message| self.messages[message as usize].record);
        }
        self.model = model.and_then(|n| name(n.names[0])).or(self.model.take());
        self.api = api.map_or(self.api.take(), |n| {
            Some(n)
                .filter(of_this_provider)
                .and_then(|n| name(n.names[2]))
        });
        self.provider = provider
            .and_then(|n| name(n.names[1]))
            .or(self.provider.take());
    }
}

//! The proxy between clients and a made provider, and agents behind it: real processes and sockets. What is waited for is told by the other
//! side; nothing sleeps.

#![allow(clippy::unwrap_used)]

mod agents;
mod attacks;
mod bodies;
mod bound;
mod bound_provider;
mod client;
mod entrances;
mod failures;
mod forwarding;
mod known;
mod limits;
mod many;
mod networks;
mod process;
mod provider;
mod routes;
mod runs;
mod sessions;
mod streams;
mod terminal;

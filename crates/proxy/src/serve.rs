//! The server: it takes connections until it is told to end, and ends with those that it has.

use crate::{
    Failure, Options, Proxy, Result,
    client::{Client, IsWaiting},
    forward,
};
use hyper::service::service_fn;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{
    io::join,
    net::{TcpListener, TcpSocket},
    runtime::{Builder, Runtime},
    signal::unix::{SignalKind, signal},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
};

/// Connections that wait to be taken.
const BACKLOG: u32 = 4096;
/// How long to wait where the system has no more files for connections.
const REST: Duration = Duration::from_millis(50);
/// How long answers may still take when the process is told to end: as long as the SDKs of
/// providers wait for one.
const LONGEST: Duration = Duration::from_secs(600);

/// Serves at an address until the process is told to end; then answers what it has begun. Prints
/// the address.
///
/// # Errors
/// The address cannot be used, or is no loopback address and there is no token.
pub fn serve(listen: &str, options: Options) -> Result<()> {
    runtime()?.block_on(async {
        let (note, has_token) = (options.note, options.token.is_some());
        let listener = listener(listen, has_token)
            .await
            .map_err(|error| format!("{listen}: {error}"))?;
        let proxy = Proxy::new(options)?;
        // A login has 1,024 files; a stream takes two.
        let files = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: files.maximum,
            ..files
        };
        let _ = setrlimit(Resource::Nofile, raised);
        let mut told = signals(&[Signal::TERM, Signal::INT, Signal::USR1, Signal::USR2])?;
        let url = format!("http://{}", listener.local_addr()?);
        note(&format!("listening on {url}"));
        note(&format!(
            "policy: {}; figures: {url}/metrics",
            proxy.options.policy
        ));
        note(&format!(
            "ANTHROPIC_BASE_URL={url} OPENAI_BASE_URL={url}/v1"
        ));
        let open = GracefulShutdown::new();
        tokio::select! {
            () = connections(&listener, &proxy, &open) => {}
            () = ended(&mut told, &proxy) => {}
        }
        drop(listener);
        // Told again, it ends at once.
        tokio::select! {
            () = open.shutdown() => {}
            () = ended(&mut told, &proxy) => {}
            () = tokio::time::sleep(LONGEST) => {}
        }
        proxy.end("no request came");
        Ok(())
    })
}

/// Waits until the process is told to end. Before that, it may be told to prune nothing, and to
/// prune again.
async fn ended(told: &mut UnboundedReceiver<Signal>, proxy: &Proxy) {
    while let Some(signal @ (Signal::USR1 | Signal::USR2)) = told.recv().await {
        let is_off = signal == Signal::USR1;
        proxy.is_off.store(is_off, Ordering::Relaxed);
        let how = if is_off {
            "nothing is pruned"
        } else {
            "requests are pruned"
        };
        (proxy.options.note)(&format!("{how} from now on"));
    }
}

/// Makes the runtime for connections, the work on bodies and the names of hosts.
///
/// # Errors
/// The clock is before 1970, for which hyper has no date, or the system has no more threads.
pub fn runtime() -> Result<Runtime> {
    since_1970(SystemTime::now())?;
    Ok(Builder::new_multi_thread().enable_all().build()?)
}

fn since_1970(now: SystemTime) -> Result<()> {
    match now.duration_since(UNIX_EPOCH) {
        Ok(_) => Ok(()),
        Err(_) => Err("the clock is before 1970; set it".into()),
    }
}

/// Returns the signals of these kinds, one after another.
pub fn signals(kinds: &[Signal]) -> io::Result<UnboundedReceiver<Signal>> {
    let (sender, receiver) = unbounded_channel();
    for kind in kinds.iter().copied() {
        let mut coming = signal(SignalKind::from_raw(kind.as_raw()))?;
        let sender = sender.clone();
        tokio::spawn(async move {
            while coming.recv().await.is_some() {
                let _ = sender.send(kind);
            }
        });
    }
    Ok(receiver)
}

/// Opens an address. An address outside of loopback needs a token: everybody who reaches the proxy
/// could use the provider through it.
pub async fn listener(listen: &str, has_token: bool) -> Result<TcpListener> {
    let mut last: Failure = "no such address".into();
    for address in tokio::net::lookup_host(listen).await? {
        let is_loopback = address.ip().to_canonical().is_loopback();
        if !is_loopback && !has_token {
            return Err("it is no loopback address: name a file with a token, --token-file".into());
        }
        match bind(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error.into(),
        }
    }
    Err(last)
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Takes connections for ever.
pub async fn connections(listener: &TcpListener, proxy: &Arc<Proxy>, open: &GracefulShutdown) {
    let mut server = auto::Builder::new(TokioExecutor::new()).preserve_header_case(true);
    // The answer has the date of the provider. A client that does not end its headers is left after
    // a time.
    server
        .http1()
        .auto_date_header(false)
        .timer(TokioTimer::new());
    server
        .http2()
        .auto_date_header(false)
        .timer(TokioTimer::new());
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(REST).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let proxy = Arc::clone(proxy);
        let is_waiting = IsWaiting::default();
        let (stream, answers) = stream.into_split();
        let client = Client {
            stream,
            is_waiting: Arc::clone(&is_waiting),
            ends: None,
            has_grace: false,
        };
        let answer = service_fn(move |request| {
            forward::answer(Arc::clone(&proxy), Arc::clone(&is_waiting), request)
        });
        let connection = server
            .serve_connection(TokioIo::new(join(client, answers)), answer)
            .into_owned();
        let watched = open.watch(connection);
        // The end of a connection is ignored: failures are counted where they occur.
        tokio::spawn(async { drop(watched.await) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_is_refused() {
        assert!(since_1970(UNIX_EPOCH).is_ok());
        let error = since_1970(UNIX_EPOCH - Duration::from_secs(1)).expect_err("an error");
        assert_eq!(error.to_string(), "the clock is before 1970; set it");
    }
}

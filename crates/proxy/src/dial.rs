//! Connections to providers: by TLS with the system's roots, or Mozilla's where there are none and
//! on macOS, and through the proxy that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`,
//! `ALL_PROXY`, `NO_PROXY`).

use crate::{Failure, Result};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::{Uri, body::Bytes};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, builderstates::WantsSchemes};
use hyper_util::{
    client::{
        legacy,
        legacy::connect::{HttpConnector, proxy::Tunnel},
        proxy::matcher::Matcher,
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::net::TcpStream;
use tower_service::Service;

/// A body of either direction.
pub type AnyBody = UnsyncBoxBody<Bytes, io::Error>;

/// A client of providers, which connects with TLS where the address says so.
pub type Client = legacy::Client<HttpsConnector<Dial>, AnyBody>;

/// How long an unused connection is kept: less than providers keep theirs.
const IDLE: Duration = Duration::from_secs(30);

/// How long a host may be silent: to a new connection, to what was sent on one, and between the
/// questions whether it is there.
const SILENCE: Duration = Duration::from_secs(30);
const ASK: Duration = Duration::from_secs(10);

/// Connects to a host, or to the proxy in front of it.
#[derive(Clone)]
pub struct Dial {
    direct: HttpConnector,
    proxies: Arc<Matcher>,
}

/// A client of providers. The duration and the number of answers are up to the client and the
/// provider. It speaks HTTP/1.1: over one connection of HTTP/2 the 101st stream waits, readers that
/// stall stop all others, and one that is dead is used again.
pub fn client() -> Result<Client> {
    let mut direct = HttpConnector::new();
    direct.enforce_http(false);
    direct.set_nodelay(true);
    direct.set_connect_timeout(Some(SILENCE));
    direct.set_keepalive(Some(ASK));
    direct.set_keepalive_interval(Some(ASK));
    #[cfg(target_os = "linux")]
    direct.set_tcp_user_timeout(Some(SILENCE));
    let dial = Dial {
        direct,
        proxies: Arc::new(Matcher::from_env()),
    };
    let connector = connector().https_or_http().enable_http1();
    let mut client = legacy::Client::builder(TokioExecutor::new());
    client
        .pool_idle_timeout(IDLE)
        .pool_timer(TokioTimer::new())
        .http1_preserve_header_case(true);
    Ok(client.build(connector.wrap_connector(dial)))
}

#[cfg(not(target_os = "macos"))]
fn connector() -> HttpsConnectorBuilder<WantsSchemes> {
    use rustls::{ClientConfig, RootCertStore};
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return HttpsConnectorBuilder::new().with_webpki_roots();
    }
    let config = ClientConfig::builder().with_root_certificates(roots);
    HttpsConnectorBuilder::new().with_tls_config(config.with_no_client_auth())
}

#[cfg(target_os = "macos")]
fn connector() -> HttpsConnectorBuilder<WantsSchemes> {
    HttpsConnectorBuilder::new().with_webpki_roots()
}

impl Service<Uri> for Dial {
    type Response = TokioIo<TcpStream>;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.direct.poll_ready(context).map_err(Failure::from)
    }

    fn call(&mut self, host: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.intercept(&host) else {
            let connected = self.direct.call(host);
            return Box::pin(async { Ok(connected.await?) });
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.direct.clone());
        if let Some(login) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(login.clone());
        }
        let connected = tunnel.call(host);
        Box::pin(async { Ok(connected.await?) })
    }
}

//! The client: sends one request, returns one answer, or says what is known of the failure.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::{CertificateDer, pem::PemObject};

use crate::resolve::{Resolver, SystemLookup};
use crate::{Cidr, Guard, Lookup, Request, Response, SendFailure, Trust, tls};

/// How long an idle connection is kept. Servers often close theirs after five seconds; a request that meets the
/// close has an unknown fate, so ours goes first.
const KEEP_IDLE: Duration = Duration::from_secs(4);

/// How a [`Client`] behaves; every setting has a default.
pub struct Builder {
    connect: Duration,
    request: Duration,
    answer_limit: usize,
    allow: Vec<Cidr>,
    lookup: Arc<dyn Lookup>,
    roots: Vec<CertificateDer<'static>>,
}

/// Why a client could not be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError(String);

/// The HTTP client. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    /// For the operator's own targets.
    open: Pool,
    /// For untrusted ones. It has connections of its own: one that was opened to an address the operator may use
    /// must not serve others.
    guarded: Pool,
    guard: Guard,
    request: Duration,
    answer_limit: usize,
}

/// Two clients alike, but for what they do with a connection after its answer.
struct Pool {
    keeping: reqwest::Client,
    fresh: reqwest::Client,
}

impl Client {
    /// Starts from the defaults: 10 s to connect, 30 s in total, answers up to 1 MiB, public addresses only for
    /// untrusted targets.
    pub fn builder() -> Builder {
        Builder {
            connect: Duration::from_secs(10),
            request: Duration::from_secs(30),
            answer_limit: 1 << 20,
            allow: Vec::new(),
            lookup: Arc::new(SystemLookup),
            roots: Vec::new(),
        }
    }

    /// The total deadline of a request: after it, nothing more of it will be written.
    pub fn request_deadline(&self) -> Duration {
        self.shared.request
    }

    /// Sends the request once and reads the whole answer. Every status is an answer; redirects are not followed
    /// (take the `Location` as an untrusted target of its own).
    pub async fn send(&self, request: Request) -> Result<Response, SendFailure> {
        let shared = &self.shared;
        let target = &request.target;
        let host = target.host().to_owned();
        let pool = match target.trust() {
            Trust::Operator => &shared.open,
            Trust::Untrusted => {
                let verdict = shared.guard.vet_url(target.url());
                verdict.map_err(|why| SendFailure::forbidden(&host, &why))?;
                &shared.guarded
            }
        };
        let http = if request.fresh { &pool.fresh } else { &pool.keeping };
        let limit = request.answer_limit.unwrap_or(shared.answer_limit);
        let deadline = request.deadline.unwrap_or(shared.request);
        let mut exchange = Exchange { host, secrets: request.secrets, status: None, limit };
        let outgoing = http
            .request(request.method.into(), target.url().clone())
            .headers(request.headers)
            .body(request.body);
        match tokio::time::timeout(deadline, exchange.run(outgoing)).await {
            Ok(result) => result.map(|response| exchange.sign(response)),
            Err(_elapsed) => Err(SendFailure::timeout(&exchange.host, exchange.status)),
        }
    }
}

/// One request on its way, with what a failure may need to know.
struct Exchange {
    host: String,
    secrets: Vec<String>,
    status: Option<u16>,
    limit: usize,
}

impl Exchange {
    async fn run(&mut self, outgoing: reqwest::RequestBuilder) -> Result<Response, SendFailure> {
        let mut answer = outgoing.send().await.map_err(|error| self.failure(error))?;
        self.status = Some(answer.status().as_u16());
        let mut body = Vec::new();
        let announced = answer.content_length().unwrap_or(0);
        if usize::try_from(announced).is_ok_and(|bytes| bytes <= self.limit) {
            while let Some(chunk) = answer.chunk().await.map_err(|error| self.failure(error))? {
                if body.len() + chunk.len() > self.limit {
                    return Err(self.too_long());
                }
                body.extend_from_slice(&chunk);
            }
            return Ok(response(&answer, body));
        }
        Err(self.too_long())
    }

    fn failure(&self, error: reqwest::Error) -> SendFailure {
        SendFailure::of(error, &self.host, self.status, &self.secrets)
    }

    fn too_long(&self) -> SendFailure {
        SendFailure::too_long(&self.host, self.status, self.limit)
    }

    fn sign(self, mut response: Response) -> Response {
        response.host = self.host;
        response.secrets = self.secrets;
        response
    }
}

fn response(answer: &reqwest::Response, body: Vec<u8>) -> Response {
    let text = |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers: Vec<(&str, String)> =
        answer.headers().iter().map(|(name, value)| (name.as_str(), text(value))).collect();
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Response::new(answer.status().as_u16(), &headers, body)
}

impl Builder {
    /// The deadline for a connection: name, TCP and TLS together. Capped by the total deadline; keep it shorter, for
    /// a connect time-out is certainly not sent and a total one is unknown.
    #[must_use]
    pub fn connect_deadline(mut self, deadline: Duration) -> Builder {
        self.connect = deadline;
        self
    }

    /// The deadline for the whole exchange, from the first look-up to the last byte of the answer.
    #[must_use]
    pub fn request_deadline(mut self, deadline: Duration) -> Builder {
        self.request = deadline;
        self
    }

    /// The longest answer taken, in bytes.
    #[must_use]
    pub fn answer_limit(mut self, bytes: usize) -> Builder {
        self.answer_limit = bytes;
        self
    }

    /// Address ranges that untrusted targets may reach although they are not public.
    #[must_use]
    pub fn allow(mut self, ranges: impl IntoIterator<Item = Cidr>) -> Builder {
        self.allow.extend(ranges);
        self
    }

    /// Another source of addresses than the system's resolver. The guard vets its answers all the same.
    #[must_use]
    pub fn lookup(mut self, lookup: impl Lookup) -> Builder {
        self.lookup = Arc::new(lookup);
        self
    }

    /// Trusts the certificates of a private authority (PEM) besides those of the machine.
    pub fn root_certificates(mut self, pem: &[u8]) -> Result<Builder, BuildError> {
        let before = self.roots.len();
        for root in CertificateDer::pem_slice_iter(pem) {
            self.roots.push(root.map_err(|error| BuildError(format!("a root certificate: {error}")))?);
        }
        if self.roots.len() == before {
            return Err(BuildError(
                "no certificate found; expected PEM (-----BEGIN CERTIFICATE-----)".into(),
            ));
        }
        Ok(self)
    }

    /// Builds the client. Reads the machine's root certificates; a machine without any gets a warning in the log.
    pub fn build(self) -> Result<Client, BuildError> {
        let guard = Guard::new(self.allow);
        let tls = tls::config(self.roots).map_err(|error| BuildError(format!("TLS: {error}")))?;
        let connect = self.connect.min(self.request);
        let http = |guard: Option<Guard>, idle: usize| {
            reqwest::Client::builder()
                .tls_backend_preconfigured(tls.clone())
                .http1_only()
                .dns_resolver(Resolver { lookup: Arc::clone(&self.lookup), guard })
                .connect_timeout(connect)
                .pool_idle_timeout(KEEP_IDLE)
                .pool_max_idle_per_host(idle)
                .retry(reqwest::retry::never())
                .redirect(reqwest::redirect::Policy::none())
                .referer(false)
                .no_proxy()
                .user_agent(concat!("onceward/", env!("CARGO_PKG_VERSION")))
                .build()
                .map_err(|error| BuildError(format!("HTTP: {error}")))
        };
        let pool = |guard: Option<Guard>| -> Result<Pool, BuildError> {
            Ok(Pool { keeping: http(guard.clone(), usize::MAX)?, fresh: http(guard, 0)? })
        };
        let shared = Shared {
            open: pool(None)?,
            guarded: pool(Some(guard.clone()))?,
            guard,
            request: self.request,
            answer_limit: self.answer_limit,
        };
        Ok(Client { shared: Arc::new(shared) })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("request_deadline", &self.shared.request).finish_non_exhaustive()
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BuildError {}

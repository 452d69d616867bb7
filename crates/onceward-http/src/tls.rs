//! TLS: rustls with ring and the machine's own roots, without touching the process-wide default.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

/// A configuration that verifies certificate and name, always; `extra_roots` are trusted beside the machine's own. For
/// protocols other than HTTP.
///
/// # Errors
/// When one of the extra roots is no certificate.
pub fn tls_config(extra_roots: Vec<CertificateDer<'static>>) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    for error in &native.errors {
        tracing::warn!(%error, "some root certificates of this machine could not be read");
    }
    roots.add_parsable_certificates(native.certs);
    for root in extra_roots {
        roots.add(root)?;
    }
    if roots.is_empty() {
        tracing::warn!(
            "no root certificates on this machine: every secure connection will fail; install `ca-certificates` \
             or set SSL_CERT_FILE"
        );
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// The same for HTTP.
///
/// HTTP/1.1 is the only protocol offered: one request at a time on a connection keeps the meaning of a broken
/// connection simple, and no platform asks for more.
pub(crate) fn config(extra_roots: Vec<CertificateDer<'static>>) -> Result<ClientConfig, rustls::Error> {
    let mut config = tls_config(extra_roots)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

//! The service of `orrery monitor serve` in builds with the feature `monitor`.

use orrery_monitor::service::{Event, Limits, Service, ServiceOptions, Tls, Tokens};
use orrery_monitor::store::Retention;

use super::super::samples;
use super::serve::Serve;
use crate::context::{Context, Usage, warn};

/// Runs the service until SIGINT or SIGTERM; prints its events to stderr.
pub fn run(arguments: Serve, context: Context) -> anyhow::Result<()> {
    let tokens = arguments.token_file.as_deref().map(Tokens::read).transpose()?;
    let files = arguments.tls_certificate.as_deref().zip(arguments.tls_key.as_deref());
    let tls = files.map(|(certificate, key)| Tls::read(certificate, key)).transpose()?;
    let limits = Limits {
        connections: arguments.max_connections as usize,
        requests_per_second: arguments.max_rate,
        body_bytes: arguments.max_body as usize * 1024,
        series: arguments.max_series as usize,
        ..Limits::default()
    };
    let model = arguments.model.as_deref().map(samples::model).transpose()?;
    let options = ServiceOptions {
        store: arguments.store,
        listen: arguments.listen,
        tokens,
        tls,
        limits,
        retention: Retention { samples: arguments.keep.into(), ..Retention::default() },
        model,
    };
    // The service logs from several threads; the MPI job of the context belongs to this one.
    let quiet = context.quiet;
    let log = move |event: Event| {
        if event.is_warning() {
            warn(event);
        } else {
            Context::new(quiet).say(format_args!("orrery: {event}"));
        }
    };
    let service = Service::start(options, log).map_err(|error| match error {
        error @ orrery_monitor::service::ServiceError::Unprotected { .. } => {
            Usage(error.to_string()).into()
        }
        error => anyhow::Error::from(error),
    })?;
    let stopper = service.stopper();
    ctrlc::set_handler(move || stopper.stop())?;
    service.run();
    Ok(())
}

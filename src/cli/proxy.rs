//! `deadhead proxy` and `deadhead run`: from flags to a proxy.

use super::*;
use deadhead_core::settings::Resolved;
use deadhead_proxy::{Failure, Options, Upstreams, Wish};
use deadhead_state::{Access, Memory, Store};

/// The sessions that are kept in memory.
const SESSIONS: u32 = 10_000;
/// Runs `deadhead proxy`.
pub fn serve(args: &ProxyArgs) -> Result<Verdict> {
    let upstreams = match &args.passing.upstream {
        Some(address) => Upstreams::fixed(address),
        None => Upstreams::by_request(),
    };
    let mut options = options(&args.passing, upstreams.map_err(|error| anyhow!(error))?)?;
    options.token = args.token_file.as_deref().map(token).transpose()?;
    options.session_header = header(&args.session_header)?;
    options.workload_header = header(&args.workload_header)?;
    let listen = match args.listen.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => args.listen.clone(),
    };
    let served = deadhead_proxy::serve(&listen, options);
    notes::wait();
    served.map_err(anyhow::Error::from_boxed)?;
    Ok(Verdict::Done)
}

/// Runs `deadhead run`; ends with the code of the program.
pub fn run(args: &RunArgs) -> Result<Verdict> {
    let passing = &args.passing;
    let made = |upstreams| options(passing, upstreams).map_err(Failure::from);
    let wish = Wish {
        upstream: passing.upstream.as_deref(),
        no_first_party: args.no_first_party,
    };
    let code = deadhead_proxy::run(&args.command, wish, made);
    notes::wait();
    std::process::exit(code.map_err(anyhow::Error::from_boxed)?.into())
}

fn options(args: &PassingArgs, upstreams: Upstreams) -> Result<Options> {
    let (resolved, policy) = configuration::for_requests(&args.policy)?;
    let timeout = Duration::from_millis(resolved.settings.state.timeout_ms);
    let file = args.state.as_ref().filter(|_| !args.shadow);
    let store = match file {
        Some(path) => state::open(path, Access::Write, timeout),
        None => Store::in_memory(SESSIONS),
    };
    let names: Vec<String> = resolved.settings.workloads.keys().cloned().collect();
    let of_workload = |name: String| {
        let policy = PolicyArgs {
            workload: Some(name.clone()),
            ..args.policy.clone()
        };
        Ok((name, pruner(configuration::for_requests(&policy)?.0)?))
    };
    let is_off = std::env::var_os("DEADHEAD_OFF").is_some_and(|off| off == "1");
    if is_off {
        stderr_line!("deadhead: nothing is pruned, as DEADHEAD_OFF is 1");
    }
    Ok(Options {
        is_off,
        is_shadow: args.shadow,
        is_kept: file.is_some(),
        policy,
        pruner: pruner(resolved)?,
        workloads: names
            .into_iter()
            .map(of_workload)
            .collect::<Result<HashMap<_, _>>>()?,
        workload: args.policy.workload.clone(),
        workload_header: None,
        session_header: None,
        memory: Memory::new(Some(store?), false),
        upstreams,
        token: None,
        max_body: args.max_body,
        patience: Duration::from_millis(args.max_wait),
        note: notes::print,
    })
}

fn pruner(resolved: Resolved) -> Result<Pruner> {
    Ok(deadhead_retrieval::pruner(resolved.into())?
        .with(|setup| (setup.detail, setup.naming) = (Detail::Totals, flag)))
}

/// The token in a file: its only line.
fn token(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    match text.trim() {
        "" => bail!("{}: there is no token in it", path.display()),
        token => Ok(token.to_owned()),
    }
}

fn header<T: std::str::FromStr>(name: &Option<String>) -> Result<Option<T>> {
    let read = |name: &String| {
        name.parse()
            .map_err(|_| anyhow!("{name:?} is no name of a header"))
    };
    name.as_ref().map(read).transpose()
}

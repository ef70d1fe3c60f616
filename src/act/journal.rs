//! The transactions on disk: one folder each, complete before anything of the
//! system changes.

use super::transaction::{Transaction, sha256};
use super::{ActError, STATE_DIR};
use crate::host::{Host, HostError, Lock, TEMPORARY};

/// Where the transactions are.
const TRANSACTIONS: &str = "/var/lib/pi5-nvme/transactions";
const TOML: &str = "transaction.toml";
pub(super) const README: &str = "README.txt";

/// The state folder, held for one run or only looked at.
pub(super) struct Journal<'h> {
    host: &'h Host,
    _lock: Option<Lock>,
}

/// What stands in one numbered folder.
pub(super) struct Found {
    pub(super) id: String,
    pub(super) content: Result<Transaction, ActError>,
}

impl<'h> Journal<'h> {
    /// Makes the state folder where there is none, and takes its lock.
    pub(super) fn open(host: &'h Host) -> Result<Self, ActError> {
        way_is_free(host)?;
        // Its parents are everybody's, the folder itself is not.
        host.create_dir(STATE_DIR.rsplit_once('/').map_or("/", |(parent, _)| parent), 0o755)?;
        host.create_dir(STATE_DIR, 0o700)?;
        host.create_dir(TRANSACTIONS, 0o700)?;
        let lock = host.lock(&format!("{STATE_DIR}/lock"))?;
        Ok(Self { host, _lock: Some(lock) })
    }

    /// The journal without its lock, for reading only.
    pub(super) fn look(host: &'h Host) -> Self {
        Self { host, _lock: None }
    }

    /// Whether anything was ever written down here.
    ///
    /// # Errors
    /// Something else stands where the journal belongs.
    pub(super) fn is_there(host: &Host) -> Result<bool, ActError> {
        way_is_free(host)?;
        Ok(host.exists(STATE_DIR))
    }

    /// The path of a file of a transaction.
    pub(super) fn path(id: &str, file: &str) -> String {
        format!("{TRANSACTIONS}/{id}/{file}")
    }

    /// Every transaction that began, oldest first. Folders without a
    /// `transaction.toml` never began; other names are nobody's business.
    pub(super) fn all(&self) -> Result<Vec<Found>, ActError> {
        let mut found = Vec::new();
        for (_, id) in self.numbered()? {
            let path = Self::path(&id, TOML);
            let content = match self.host.read_limited(&path, 1 << 20) {
                Err(HostError::NotFound(_)) => continue,
                Err(error) => Err(error.into()),
                Ok(bytes) => Transaction::parse(&path, &bytes).map(|t| Transaction { id: id.clone(), ..t }),
            };
            found.push(Found { id, content });
        }
        Ok(found)
    }

    /// Folders with a number for a name, ascending.
    fn numbered(&self) -> Result<Vec<(u32, String)>, ActError> {
        let names = match self.host.list(TRANSACTIONS) {
            Err(HostError::NotFound(_)) => {
                way_is_free(self.host)?;
                Vec::new()
            }
            names => names?,
        };
        let mut numbered: Vec<_> = names.into_iter().filter_map(|n| Some((number(&n)?, n))).collect();
        numbered.sort();
        Ok(numbered)
    }

    /// The first number that no folder has used.
    pub(super) fn next_id(&self) -> Result<String, ActError> {
        let last = self.numbered()?.last().map_or(0, |(number, _)| *number);
        Ok(format!("{:04}", last.saturating_add(1)))
    }

    /// Writes a new transaction: its files first, `transaction.toml` last. On
    /// an error nothing of it is left.
    pub(super) fn begin(
        &self,
        transaction: &Transaction,
        files: &[(String, Vec<u8>)],
        readme: &str,
    ) -> Result<(), ActError> {
        let path = |file: &str| Self::path(&transaction.id, file);
        let write = || -> Result<(), ActError> {
            self.host.create_dir(&path("before"), 0o700)?;
            self.host.create_dir(&path("after"), 0o700)?;
            for (name, bytes) in files {
                self.host.write_new(&path(name), bytes, 0o600)?;
            }
            self.host.write_new(&path(README), readme.as_bytes(), 0o600)?;
            self.save(transaction)
        };
        write().inspect_err(|_| self.discard(&transaction.id))
    }

    /// Replaces `transaction.toml`; this is how a state changes.
    pub(super) fn save(&self, transaction: &Transaction) -> Result<(), ActError> {
        let path = Self::path(&transaction.id, TOML);
        self.host.replace(&path, &transaction.render(&path)?)?;
        Ok(())
    }

    /// The bytes of a file of a transaction, as they were written down.
    pub(super) fn bytes(&self, transaction: &Transaction, file: &str) -> Result<Vec<u8>, ActError> {
        let path = Self::path(&transaction.id, file);
        let bad = |why: &str| ActError::Journal { path: path.clone(), why: why.into() };
        if file.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(bad("leads out of the transaction"));
        }
        let bytes = match self.host.read(&path) {
            Err(HostError::NotFound(_)) => return Err(bad("missing from the transaction")),
            bytes => bytes?,
        };
        match transaction.sha256.get(file) {
            Some(sum) if *sum != sha256(&bytes) => {
                Err(bad("damaged: not the bytes that were written down (SHA-256 differs)"))
            }
            _ => Ok(bytes),
        }
    }

    /// Removes what is left of transactions that never began. One that is
    /// complete but for its `transaction.toml` may have lost that: it stays,
    /// for the old bytes in it.
    pub(super) fn tidy(&self) -> Result<(), ActError> {
        for (_, id) in self.numbered()? {
            if ![TOML, README].iter().any(|name| self.host.exists(&Self::path(&id, name))) {
                self.discard(&id);
            }
        }
        Ok(())
    }

    /// Removes a transaction that never began; what cannot be removed is only
    /// in nobody's way.
    fn discard(&self, id: &str) {
        // First of all what would make it one that began.
        let _ = self.host.remove(&Self::path(id, TOML));
        for folder in ["before", "after"] {
            let folder = Self::path(id, folder);
            for name in self.host.list(&folder).unwrap_or_default() {
                let _ = self.host.remove(&format!("{folder}/{name}"));
            }
            let _ = self.host.remove_dir(&folder);
        }
        for name in [README, TEMPORARY] {
            let _ = self.host.remove(&Self::path(id, name));
        }
        let _ = self.host.remove_dir(&format!("{TRANSACTIONS}/{id}"));
    }
}

/// Nothing but folders stands where the journal belongs: what is no folder
/// must not pass for a journal without transactions.
fn way_is_free(host: &Host) -> Result<(), ActError> {
    let outer = ["/var", "/var/lib", STATE_DIR];
    for (path, parent) in outer.into_iter().chain([TRANSACTIONS]).zip(["/"].into_iter().chain(outer)) {
        let why = match host.stat(path) {
            Ok(stat) if stat.is_dir => continue,
            Ok(_) => "in the way: it is no folder",
            Err(HostError::NotFound(_)) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                if !host.list(parent).is_ok_and(|names| names.iter().any(|n| n == name)) {
                    return Ok(());
                }
                "in the way: a link that leads nowhere"
            }
            // Whoever needs what is in there meets the same error.
            Err(_) => return Ok(()),
        };
        return Err(ActError::Journal { path: path.into(), why: why.into() });
    }
    Ok(())
}

/// The `README.txt` of the transaction that a file of the journal belongs to.
pub(super) fn readme_of(path: &str) -> Option<String> {
    let (_, inner) = path.split_once("/transactions/")?;
    let (id, _) = inner.split_once('/')?;
    Some(Journal::path(id, README))
}

/// The number that a folder's or a person's name for a transaction means.
pub(super) fn number(name: &str) -> Option<u32> {
    let digits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    name.parse().ok().filter(|_| digits)
}

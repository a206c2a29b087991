const { drive } = await import(`${process.env.DRIVER_LIB}/aisdk.mjs`);
await drive((name) => import(name));
